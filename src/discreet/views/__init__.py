"""What may be shown: frozen, plain numbers, JSON out and in."""

from discreet.views.base import Gate, Origin, View
from discreet.views.box import BoxView
from discreet.views.grid import GridView
from discreet.views.histogram import HistogramView
from discreet.views.points import PointsView

__all__ = ["BoxView", "Gate", "GridView", "HistogramView", "Origin", "PointsView", "View"]
