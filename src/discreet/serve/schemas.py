"""The bodies of requests, made of the list of plots; whatever is not in it is refused."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from discreet.plots import PARAMETERS, PLOTS, Parameter, Plot, View

__all__ = ["BODIES", "body_of"]

LONGEST_NAME = 1000
LONGEST_FORMULA = 2000

Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
STRICT = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)


def body_of(plot: Plot[View]) -> type[BaseModel]:
    """Return what the body of a request for a plot may hold."""
    fields: dict[str, Any] = {}
    if plot.of_formula:
        formula = Field(min_length=1, max_length=LONGEST_FORMULA)
        fields["formula"] = (Annotated[str, formula], ...)
    else:
        listed = Field(min_length=plot.least, max_length=plot.most)
        fields["columns"] = (Annotated[list[Name], listed], ...)
    if plot.by:
        fields["by"] = (Name | None, None)
    if plot.axes:
        sensitive = Annotated[list[Name], Field(max_length=plot.most)]
        fields["sensitive"] = (sensitive | None, None)
    fields["method"] = (Annotated[str, Field(max_length=40)] | None, None)
    fields |= {name: (_type_of(PARAMETERS[name]) | None, None) for name in plot.parameters}
    title = f"{plot.name.capitalize()}Body"
    model: type[BaseModel] = create_model(title, __config__=STRICT, **fields)
    model.__doc__ = plot.says
    return model


def _type_of(parameter: Parameter) -> Any:
    if parameter.type == "yes_no":
        return bool
    if parameter.type == "word":
        return Literal[parameter.choices]
    ends: dict[str, Any] = {"ge": parameter.least}
    ends["le"] = 10**6 if parameter.most is None else parameter.most
    if parameter.type == "number":
        return Annotated[float, Field(**ends, allow_inf_nan=False)]
    if parameter.step is not None and parameter.step > 1:
        # Steps are asked of what is sent, too (section 6.4: step size limits).
        ends["multiple_of"] = int(parameter.step)
    return Annotated[int, Field(**ends)]


BODIES: Mapping[str, type[BaseModel]] = MappingProxyType(
    {name: body_of(plot) for name, plot in PLOTS.items()}
)
