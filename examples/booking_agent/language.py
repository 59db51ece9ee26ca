"""Which language a message is in: English, Swahili or the Nairobi mix of both. Word lists, no model."""

import re
from enum import StrEnum


class Language(StrEnum):
    ENGLISH = "en"
    SWAHILI = "sw"
    MIXED = "mix"


_ENGLISH_WORDS = """
    a an the i i'm im i'd i'll i've you your yours me my we our it it's its is are am was be been do does did
    done can can't could would will won't shall should have has had want need like love get got go come coming
    make made take and or but if so then than that this these those there here when what what's where which who
    how why much many for from with without to at on in of by about after before until around into please thanks
    thank hi hello hey good morning afternoon evening yes yeah yep no not don't doesn't okay fine great perfect
    works work sure book booking appointment price prices cost costs charge charges free available availability
    time day next week tomorrow today date slot slots earlier later early late instead actually change cancel
    cancelled paid pay payment payed send sent receive received name number phone done see bye goodbye later
    help question hair nails again first second last one two three any other another anything nothing else just
    only really very bit kindly wedding birthday mum mom mother sister daughter friend husband work's hurry
    quick quickly sorry wait let us robot human monday tuesday wednesday thursday friday saturday sunday weekend
    bot ai real person talking speak someone know tell discount expensive cheap deal still because cash confirm
    confirmed prompt money total take takes long open close located location parking nice lovely awesome
"""
_SWAHILI_WORDS = """
    na ya wa za la kwa ni si la je ndio ndiyo hapana sawa asante asanteni sana tafadhali naomba nataka
    ningependa nahitaji ninataka ningetaka nina niko nipo mimi wewe sisi yeye yangu yako yetu wangu langu jina
    naitwa habari hujambo jambo mambo vipi poa shikamoo marahaba salama nzuri njema karibu kwaheri baadaye
    tutaonana bei gani ngapi lini wapi nani nini kiasi pesa shilingi lipa kulipa nimelipa nitalipa malipo
    taslimu saa siku kesho leo jana keshokutwa kutwa wiki mwezi tarehe asubuhi mchana jioni usiku jumatatu
    jumanne jumatano alhamisi ijumaa jumamosi jumapili ijayo nafasi iko kuna hakuna hapo hapa huko ile hiyo hii
    hizo huyo yule kitu kingine nyingine ingine nywele kusuka kusukwa nisukwe kunyoa kuosha kucha uso masaji
    miadi kuja nitakuja nije naweza unaweza mnaweza mna mnafanya mnatoza mko uko wako tu pia lakini ama au kama
    ikiwa basi halafu kisha bado tena kabisa zaidi ghali rahisi punguza punguzo mpunguzie haraka dakika pole
    samahani ngoja subiri badilisha nibadilishe kubadilisha futa ghairi sitaki siwezi sijui sijapata nimepata
    nimetuma tuma nitumie namba nambari simu nakushukuru shukrani hebu mbona kwani nani kweli ati eti roboti mtu
    binadamu ongea nisaidie saidia msaada dada mama kaka rafiki harusi kwanza pili mwisho yoyote yeyote vizuri
    vyema haya twende fiti niaje sasa umefika nimefika tayari imeingia imekubali inachukua muda mrefu mfupi
    itakuwa itafaa inafaa nitafika naam kwenye katika juu chini hadi mpaka tangu kabla baada wale hawa wangapi
    moja mbili tatu nne tano sita saba nane tisa kumi nusu fanya sema nambie niambie elfu mia mtanitumia
    utanitumia niwekee weka wekea nikate iwe yaani hivyo hivi sijaona naeza nikuje buda manze sina nitapata
    nataman natafuta itakua ntakuja ntalipa
"""
# A Swahili verb form on an English stem (`nibook`, `ku-confirm`): the surest sign of the mix.
_HYBRID = re.compile(
    r"^(?:ku|ni|na|u|tu|i|nime|una|uta|nita|nta|tuta|mna|mta|ime|ita|si|ha|ka|nika|nim)-?"
    r"(?:book|confirm|pay|send|cancel|change|check|plan|call|text|reschedule|arrive|prefer|expect|receive|retwist|do)"
    r"(?:i|e|ia|iwa|ishe|ed)?$"
)
# Things that are called by their English name in every sentence of the town: they say nothing about the language.
_NEUTRAL_WORDS = """
    mpesa m-pesa pesa ok okay salon box braids braid knotless cornrows locs weave manicure pedicure facial
    massage makeup waxing gel relaxer treatment blow dry retouch am pm no na i a so me to sana la si ya stk pin
    till amani karibu hi
"""

_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_SWAHILI = frozenset(_SWAHILI_WORDS.split())
_NEUTRAL = frozenset(_NEUTRAL_WORDS.split())


def evidence(text: str) -> tuple[float, float, bool]:
    """English weight, Swahili weight, and whether a hybrid verb was seen."""
    english = swahili = 0.0
    hybrid = False
    for word in re.findall(r"[a-z][a-z'-]*", text.lower().replace("’", "'")):
        if _HYBRID.match(word) and word not in _ENGLISH and word not in _SWAHILI:
            hybrid = True
            continue
        weight = 0.4 if word in _NEUTRAL else 1.0
        english += weight * (word in _ENGLISH)
        swahili += weight * (word in _SWAHILI)
    return english, swahili, hybrid


def detect(text: str, *, previous: Language | None = None) -> Language:
    """The language of `text`; with too little to go by (`10am`, a name), the one spoken before, else English."""
    english, swahili, hybrid = evidence(text)
    total = english + swahili
    if hybrid:
        return Language.MIXED
    if previous is not None and total < (3.5 if previous is Language.MIXED else 1.5):
        return previous
    if not total:
        return Language.ENGLISH
    share = english / total
    if 0.25 <= share <= 0.75 and min(english, swahili) >= 0.8:
        return Language.MIXED
    return Language.ENGLISH if share > 0.5 else Language.SWAHILI
