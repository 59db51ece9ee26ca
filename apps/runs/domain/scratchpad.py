"""Find sentences in which a model that plays a customer speaks to itself about its task.

It says what it was told, whom it plays, in which form it answers. Customers speak of instructions, developers and JSON
too: only what none says counts.
"""

import re

_READ_CHARS = 20_000
_TASK = re.compile(
    r"\b(?:"
    r"we (?:also |still )?(?:have|got|were given|must follow|need to follow|should follow) "
    r"(?:the |these |some |a )?(?:developer|system) (?:instructions?|prompts?)"
    r"|(?:we (?:also )?have|the|per the|following the) (?:a )?developer (?:message|prompt) "
    r"(?:that )?(?:says?|said|tells?|told|asks?|states?|wants?|requires?)"
    r"|i(?:['’]m| am) the user,? (?:and )?not (?:the |an )?assistant"
    r"|(?:so|must|should|need to|let['’]?s|let me|i['’]ll|we['’]ll) (?:now )?(?:send|output|write|produce|return|emit)"
    r" (?:the |a |this |our )?(?:next )?(?:message|reply) ?[:\"“{]"
    r"|(?:need to|must|should) (?:only )?(?:output|respond with|answer with|reply with|return) "
    r"(?:only |just |a |the |valid )*json(?: object)? (?:only|alone|with (?:the )?(?:fields?|keys?|message|done))"
    r"|we (?:need|have|must|should|are) (?:to )?(?:play|respond as|reply as|answer as|act as|write as|speak as)"
    r"(?:ing)? (?:a |the )?(?:simulated )?(?:customer|user|persona)"
    r"|(?:set|keep|with) [\"“`]?done[\"”`]? ?(?:to|=|:|is)? ?(?:true|false)"
    r"|reason[\"”`]? ?[:=] ?[\"“`]?(?:goal_met|gave_up)"
    r")",
    re.IGNORECASE,
)


def speaks_of_its_task(text: str) -> str:
    """The words by which a message shows that it was written to the model's own notes; "" where it does not. Pure."""
    match = _TASK.search(text[:_READ_CHARS])
    return match.group()[:100] if match else ""
