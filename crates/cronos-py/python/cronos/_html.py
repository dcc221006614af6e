"""The certificate, as a notebook shows it."""

from html import escape


def certificate_html(report):
    """A few lines about how a fit ended."""
    lines = {
        "status": report["status"],
        "network": f"{report['neurons']} neurons, β = {report['beta']:.4g}",
    }
    if "gap" in report:
        lines["objective"] = f"{report['objective']:.5g}, at least {report['lower_bound']:.5g}"
        lines["gap"] = f"{report['gap']:.2%}"
    else:
        lines["objective"] = f"{report['objective']:.5g}"
    if "architecture" in report:
        lines["network"] = f"{report['architecture']}, then {lines['network']}"
    if "best_epoch" in report:
        lines["chosen"] = f"epoch {report['best_epoch']}, validation {report['validation']:.4f}"
    if "seconds" in report:
        lines["seconds"] = f"{report['seconds']['total']:.2f}"
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td>{escape(str(value))}</td></tr>"
        for name, value in lines.items()
    )
    return f"<table class='cronos-certificate'><caption>certificate</caption>{rows}</table>"
