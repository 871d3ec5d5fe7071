"""Privacy-preserving parallel coordinates: pixels, clusters of them, what may light up together."""
