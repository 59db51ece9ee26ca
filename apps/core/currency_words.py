"""Words that say of the number beside them that it is money.

The names of today's currencies in English, Swahili and Italian, singular and plural: the noun that carries each name
("shillings" of "Kenyan shillings", "shilingi" of "shilingi ya Kenya", "scellini" of "scellini keniani"), as Unicode's
CLDR has them (read with Babel 2.18), and what people say besides. Left out is what is an ordinary word or a
person's name as well: gold, mark, won, real, sol, som, lei, leu, leone, corona, marco, franco, taka, kina and others.
"""

_NOUNS = """
    afghani afghanis ariari ariaries ariary baht balboa balboas birr birrs bolivar boliviani boliviano bolivianos
    bolívar bolívares bolívars cedi cedis colones colón colóns cordoba córdoba córdobas dalasi dalasis denar denari
    dinar dinara dinari dinaro dinars dirham dirhams dobra dobras dola dollar dollari dollaro dollars dram drams
    emalangeni escudo escudos eskudo euro euros faranga fiorini fiorino florin forint forints franc franchi francs
    gourde gourdes grivnia grivnie guarani guaranis guaraní hryvnia hryvnias kip kips koruna korunas krona krone
    kroner kronor króna krónur kwacha kwachas kwanza kwanzas kyat kyats lari laris lek lekë lempira lempiras lempire
    lilangeni lira liras lire loti lotis maloti manat manats metical meticals metikali naira nairas naire nakfa
    nakfas ngultrum ngultrums ouguiya ouguiyas paanga pataca patacas pauni peso pesos pound pounds pula pulas
    quetzal quetzals rand randi rands reais rial rials riel riels ringgit ringgits riyal riyals ruble rubles rubli
    rublo rufiyaa rufiyaas rupee rupees rupia rupiah rupiahs rupie scellini scellino shekel shekeli shekels shilingi
    shilling shillings soberanos somoni somonis sterlina sterline takas tenge tenges tugrik tugriks vatu vatus yen
    yuan yuro zloty zlotys
"""
_PRICES = """
    amount balance budget cost costs deposit fee fees price rent salary total
    ada bei bajeti deni gharama hela jumla kiasi kodi malipo mshahara nauli pesa
    acconto caparra costa costo importo prezzo prezzi saldo soldi stipendio totale
"""
NOUNS = frozenset(_NOUNS.split())
AFTER_ONLY = frozenset(["bob"])  # before a number it is a man's name
PRICES = frozenset(_PRICES.split())  # what a price is called, before it
