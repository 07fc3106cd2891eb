"""The report: one HTML file that tells the whole story of a collection, offline."""

from cranfield.present.report.build import Report, build_report

__all__ = ["Report", "build_report"]
