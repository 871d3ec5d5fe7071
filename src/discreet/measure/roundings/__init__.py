"""Every way to round one table, tried: what is lost, what can be found out, what models learn."""
