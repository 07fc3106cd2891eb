"""`Page`: how a question is asked on the page. Light, since every question that has a page carries one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cranfield.core.question import Question


class Place(Enum):
    """The places of the menu, in its order; a page stands in one of them."""

    RESULT = "Result"
    TOPICS = "Topics"
    COLLECTION = "Collection"
    PLAN = "Plan next"
    TOOLS = "Tools"


@dataclass(frozen=True, eq=False, kw_only=True)
class Page:
    """The page of a question; menu, routes, form, API, downloads and OpenAPI are made from it.

    Attributes
    ----------
    name : its name among the downloads, and its address unless that is given
    title : what the menu calls it
    place : the place of the menu where it stands; None keeps it out
    order : where it comes among the pages of its place; the first is the one that the menu opens
    address : where it is
    heading, lead : the title on the page, and a sentence below it
    button : what sends the form
    doing : what a job does, before the name of the data
    nothing : what stands where the answer will be
    brief : what the API's description says of it; the question's own line of help unless given
    example : what is shown when the address asks nothing
    waits : whether work starts only when the form is sent, because it takes long
    live : whether the answer updates while the form is filled in
    leads_to : gives the questions of kindred pages that it links to
    template : the template, where the general one does not suit
    """

    name: str
    title: str
    place: Place | None = None
    order: int = 50
    address: str = ""
    heading: str
    lead: str = ""
    button: str = "Answer"
    doing: str
    nothing: str = "Choose data: the sample collection is one click away."
    brief: str = ""
    example: Mapping[str, str] = field(default_factory=dict)
    waits: bool = False
    live: bool = False
    leads_to: Callable[[], tuple[type[Question], ...]] = tuple
    template: str = "question.html"
