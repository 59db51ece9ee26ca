"""Tell whether a quote says anything: words that occur in every conversation prove nothing."""

import re

ENOUGH_WORDS = 4  # in a row: "I will do that" stands in few conversations, though each of its words stands in all

# Articles, prepositions, pronouns, conjunctions and forms of to be and to have, in the three languages of the prompts.
# Answers ("yes", "no", "hapana", "sì") are none of them.
_ENGLISH = """
the a an this that these those it its there here then than and or but if so as of to in on at by for with from into
about not i you he she we they me him her us them my your his our their who whom whose which what when where why how
am is are was were be been being do does did has have had having will would can could shall should may might must
don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn ll re ve
"""
_ITALIAN = """
il lo la gli le un uno una di da in con su per tra fra del dello della dell dei degli delle al allo alla all ai agli
alle dal dallo dalla dall dai nel nello nella nell nei sul sullo sulla sull e ed o ma se che chi cui non mi ti si ci vi
ne è sono sei siamo siete era erano ho hai ha abbiamo avete hanno io tu lui lei noi voi loro questo questa quello quella
"""
_SWAHILI = (
    "na ya wa za la cha vya kwa ni si katika kama au lakini hii huu hiki hiyo huo hizi hayo hao yake wake zake kuwa"
)
_FUNCTION_WORDS = frozenset(f"{_ENGLISH} {_ITALIAN} {_SWAHILI}".split())
_WORD = re.compile(r"[^\W_]+")


def has_content(words: str) -> bool:
    """Tell whether the words hold a content word or a number, or are at least four. Stops at the first content word."""
    count = 0
    for match in _WORD.finditer(words):
        word = match.group().lower()
        if word not in _FUNCTION_WORDS and not (len(word) == 1 and word.isascii() and word.isalpha()):
            return True
        count += 1
    return count >= ENOUGH_WORDS
