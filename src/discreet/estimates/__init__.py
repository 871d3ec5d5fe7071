"""Figures of rows with their intervals: tables, lists of columns, models, and how near a copy is.

Rows and their weights go in; what comes out says how far off it may be. Nothing here reads a
source, or knows whether rows are those of a copy.
"""
