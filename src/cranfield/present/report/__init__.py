"""The report: one HTML file that tells the whole story of a collection, offline."""

from cranfield.present.report.build import SECTIONS, Report, build_report

__all__ = ["SECTIONS", "Report", "build_report"]
