"""What stands in brackets behind a name: a unit, or only more words.

`income (USD)` has a unit, `outpatient (physician)` has none. A unit is one that the custodian
declares, in square brackets at the end of a label, or one that is known: it is put together of
what is listed here.
"""

from __future__ import annotations

import re

OPEN, CLOSE = r"(\[\uff08\uff3b", r")\]\uff09\uff3d"  # those of Chinese and Japanese too
IN_BRACKETS = re.compile(
    rf"[^{OPEN}{CLOSE}]\s*(?P<open>[{OPEN}])(?P<text>[^{OPEN}{CLOSE}]+)[{CLOSE}]\s*$"
)
TIMES = re.compile(
    r"^(?:[x×*]?\s*10(?:\s*(?:\^|\*\*?|[eE])\s*[-−]?[0-9]+|⁻?[⁰¹²³⁴-⁹]+)|1(?:[,. ]?000)+|1(?=\s*/))"
)
"""What a unit is multiplied by: 10^9 of 10^9/l. An amount is no unit: 30 days."""
PER = re.compile(r"/|\b(?:per|pro|par|por)\b")
MANY = re.compile(rf"(?P<per>{PER.pattern})\s*[0-9][0-9., ]*")
"""How many something is counted per: 100 000, or 1.73 m²."""
BETWEEN = re.compile(r"[\s·⋅*×]+")
POWER = re.compile(r"(?:(?:\^|\*\*)?(?:[-−][1-4]|[2-4])|⁻?[¹²³⁴])$")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


MONEY = re.compile(r"[kKMT]?[$€£¥₹]|[$€£¥₹](?:k|K|M|bn|m|1[,.]?000)?")
LEAST_COUNTED = 4
"""Letters of a word that is counted per something, such as cigarettes per day; not f/m."""

# Signs that are written as they stand.
PREFIXES = ("", *"khdcmµμunpf")
METRIC = _listed("m g s l L mol M U IU Eq Osm Gy Sv Bq Pa J W V N Hz cal kat lm lx bar Da eV Wh Ω")
"""What may have a small prefix: m of mmol."""
LARGE = ("M", "G", "T")
OF_LARGE = _listed("Pa J W V N Hz Bq Da eV Wh Ω")
ALONE = _listed("m g s h d l L U")
"""Single letters that are units where nothing stands beside them; (A), (K) and (C) are names."""
OTHERS = frozenset({"us", "pm", "MM", "ns"})
"""What is mostly a word, though it could be a unit."""
SIGNS = _listed(
    """% ‰ ° °C °F ℃ ℉ Å mmHg cmH2O cmH₂O inHg mmH2O ppm ppb bpm rpm cpm dB mA µA kA K A C F T
    pF mT mS µS cfu CFU pfu PFU MET METs dpt BAU kBAU a.u. ha ft in lb lbs oz yd mi mph kmh nm psi
    BTU h d ug"""
)
CURRENCIES = _listed(
    """AED ARS AUD BDT BGN BRL CAD CHF CLP CNY COP CZK DKK EGP EUR GBP GHS HKD HRK HUF IDR ILS INR
    ISK JPY KES KRW MAD MXN MYR NGN NOK NZD PEN PHP PKR PLN RON RSD RUB SAR SEK SGD THB TRY TWD
    TZS UAH UGX USD UYU VND ZAR ECU DEM FRF ITL ESP NLG US$ A$ C$"""
)
# Words, in lower case.
WORDS = _listed(
    """y yr yrs year years mo mos month months wk wks week weeks day days hr hrs hour hours min mins
    minute minutes sec secs seconds msec decade decades quarter quarters
    jahr jahre jahren monat monate woche wochen tag tage stunde stunden minuten sekunde sekunden
    ans année années mois semaine semaines jour jours heure heures
    año años mes meses semana semanas día días hora horas minuto minutos segundo segundos
    anno anni mese mesi settimana settimane giorno giorni ora ore minuti secondo secondi
    ano anos mês dia dias jaar maand maanden weken dagen uur uren
    percent pct prozent procent percentage permille thousand thousands million millions billion
    meter meters metre metres centimeter centimetre centimeters centimetres millimeter millimetre
    kilometer kilometre kilometers kilometres gram grams kilogram kilograms milligram milligrams
    liter liters litre litres milliliter millilitre milliliters millilitres degree degrees celsius
    fahrenheit kelvin watt watts volt volts joule joules calorie calories mole moles
    inch inches foot feet pound pounds stone ounce ounces mile miles acre acres gallon gallons
    dollar dollars euro euros cent cents pence yen yuan rupee rupees franc francs peso pesos
    point points pack-year pack-years person-year person-years person-days
    breaths beats copies cells drops drinks cigarettes packs tablets doses portions servings steps
    units times visits events cases"""
)


def unit_in(name: str, *, declared: bool = False) -> str | None:
    """Return the unit that stands in brackets at the end of a name.

    Where the custodian `declared` it, what stands in square brackets is a unit, whatever it is.

    Examples
    --------
    >>> unit_in("weight (kg)"), unit_in("height [cm]"), unit_in("age"), unit_in("(other)")
    ('kg', 'cm', None, None)
    >>> unit_in("outpatient (physician)"), unit_in("severity [Likert]", declared=True)
    (None, 'Likert')
    """
    brackets = IN_BRACKETS.search(name)
    text = "" if brackets is None else brackets["text"].strip()
    if brackets is None or not text:
        return None
    return text if (declared and brackets["open"] in "[\uff3b") or is_unit(text) else None


def is_unit(text: str) -> bool:
    """Tell whether a text is a unit that is known, or is put together of such.

    Examples
    --------
    >>> [it for it in ("mmol/l", "10^9/l", "EUR per month", "first", "0-10") if is_unit(it)]
    ['mmol/l', '10^9/l', 'EUR per month']
    """
    bare = MANY.sub(r"\g<per> ", TIMES.sub("", text).strip())
    above, *below = (BETWEEN.split(it.strip()) for it in PER.split(bare))
    if not below:
        single = len(text) == 1 and text.isalpha()
        return (text in ALONE if single else text not in OTHERS) and all(map(_is_one, above))
    if below == [[""]]:  # per 1000
        return above == [""] and MANY.match(text) is not None
    return (above == [""] or _fits(above, _is_counted(above[0]))) and all(
        _fits(it, _is_one(it[0])) for it in below
    )


def _fits(words: list[str], begins: bool) -> bool:
    """Tell whether one side of a ratio may be a unit: of what it is, may be said behind it."""
    return (begins or _is_one(words[0])) and all(_is_one(it) or _is_counted(it) for it in words[1:])


def _is_counted(word: str) -> bool:
    """Tell whether a word may be what is counted per a unit, or what the unit is of."""
    return len(word) >= LEAST_COUNTED and word.isalpha()


def _is_one(word: str) -> bool:
    """Tell whether a word is one unit, perhaps with a prefix and a power."""
    bare = POWER.sub("", word) or word
    if word in SIGNS | CURRENCIES or bare.lower() in WORDS or MONEY.fullmatch(word):
        return True
    if len(bare) > 1 and bare in SIGNS:
        return True
    small = (bare.removeprefix(it) for it in PREFIXES if bare.startswith(it))
    large = (bare.removeprefix(it) for it in LARGE if bare.startswith(it))
    return any(it in METRIC for it in small) or any(it in OF_LARGE for it in large)
