# ruff: noqa: E501 - lists of phrases, one line a theme
"""Words that show the intent of a customer: mood, farewell, agreement, what was asked or said before."""

CUSTOMER = {
    "goodbye": """bye; goodbye; bye-bye; byebye; good bye; see you; see ya; talk later; good night; have a good|great|nice|lovely; take care; cheers
        kwaheri; kwa heri; tutaonana; baadaye; siku njema; usiku mwema; jioni njema; uwe na; alamsiki
        arrivederci; ciao ciao; a presto; buona giornata; buona serata; addio""",
    "nomore": """that's all; that is all; thats all; that's it; that is it; that will be all; that'll be all; that would be all; nothing else; nothing more; no more; i'm good; im good; i'm all set; all set; no thanks; no thank; nope thanks; that's everything; no that
        ni hayo tu; hayo tu; hiyo tu; hilo tu; ni hiyo tu; basi asante; hapana asante; hakuna lingine; sina lingine; hakuna kingine; imetosha; inatosha; yatosha; sina swali; ni hivyo tu; tu kwa leo; hapo sawa; niko sawa asante
        è tutto; nient'altro; no grazie; basta così; a posto così; tutto qui""",
    "thanks": "thanks; thank; thankyou; thx; asante; ahsante; asanteni; shukrani; shukran; nashukuru; grazie; appreciate",
    "yes": """yes; yeah; yep; yup; sure; ok; okay; correct; perfect; great; fine; sounds good; works; go ahead; please do; confirm; deal; exactly; absolutely; definitely
        ndio; ndiyo; eeh; sawa; sawasawa; poa; haya; nakubali; inafaa; itafaa; thibitisha; kabisa; safi; fiti; naam; niwekee; nibookie; endelea
        sì; si; certo; va bene; perfetto; confermo; d'accordo""",
    "no": "no; nope; not; don't; can't; hapana; la; sio; siyo; siwezi; sitaki; hataki; non; mai",
    "hurry": """hurry; rush; quick; quickly; asap; fast; urgent; urgently; urgente; in a meeting; no time; short of time; short on time; little time; be brief; keep it short; running late; right away; busy
        haraka; upesi; kwa haraka; harakisha; fanya haraka; sina muda; sina wakati; sina time; no time; muda mfupi; dharura; niko busy; nimechelewa; chapchap; chap; mbiombio
        fretta; presto per favore; veloce; velocemente; poco tempo""",
    "upset": """angry; upset; annoyed; annoying; frustrated; frustrating; disappointed; terrible; awful; worst; bad experience; unhappy; furious; ridiculous; unacceptable; fed up; complaint; complain; rude; let down; stressed; worried; nervous; sad; ill; sick; pain; nobody called; never called; late again; ruined; burnt; burned
        nimekasirika; nimechoka; nimechoshwa; nimeudhika; mbaya sana; nimesikitika; nina huzuni; malalamiko; nalalamika; inaniudhi; nimevunjika; nimekwazika; nina wasiwasi; nina stress; naumwa; ninaumwa; mgonjwa; sikufurahi; vibaya; hasira; niliumia; mliniharibia
        arrabbiato; arrabbiata; deluso; delusa; pessimo; stufo; stufa; preoccupato; preoccupata; vergogna""",
    "suspicion": """scam; scams; conned; con me; con artist; fraud; legit; is this real; trust; safe; suspicious; are you real; a bot; a robot; how do i know; how can i be sure; guarantee; prove; not sure about paying; afraid to pay; pay first; genuine; steal
        utapeli; matapeli; tapeli; kutapeliwa; nitapeliwa; wezi; mwizi; nitajuaje; ni salama; nitaaminije; kuamini; naogopa; naweza kuwaamini; mnaaminika; ni ukweli; wakora; kuibiwa
        truffa; sicuro che; fidarmi; affidabile""",
    "unsure": """not sure; unsure; can't decide; cannot decide; don't know which; i don't know; don't know what; maybe; undecided; what do you recommend|suggest; what would you recommend|suggest; which is better; which one is best; hmm; i'm torn; any suggestions; help me choose; either
        sijui; sina uhakika; labda; pengine; nisaidie kuchagua; unashauri; unapendekeza; ungependekeza; unanishauri; bado sijaamua; sijaamua; nashindwa kuchagua; ipi ni nzuri; ipi bora
        non so; non sono sicuro|sicura; forse; cosa mi consiglia; cosa consiglia; indeciso; indecisa""",
    "pricey": """expensive; pricey; too much; cheaper; cheap; discount; afford; budget; tight budget; reduce; lower price; best price; negotiable; offer on; a deal; costly; steep; student; bargain
        ghali; ni nyingi; bei juu; punguza; unipunguzie; punguzo; bei nafuu; nafuu; nipunguzie; mnipunguzie; sina pesa; pesa kidogo; bajeti; discount kidogo; bei ya chini; rahisi zaidi
        caro; cara; costoso; sconto; economico; meno caro""",
    "asks_price": """how much; what's the price; what is the price; price; prices; pricing; cost; costs; charge; charges; rate; rates; fee; fees; what do you charge; how many shillings
        bei; bei gani; bei ngapi; pesa ngapi; shilingi ngapi; shi ngapi; ksh ngapi; gharama; inagharimu; mnacharge; unacharge; mnatoza; ngapi kwa; ni how much; itanicost; itacost; inacost; ni ngapi; ni pesa; nitalipa ngapi; nalipa ngapi; mnalipisha
        quanto costa; quanto costano; quanto viene; prezzo; prezzi; quanto pago; tariffa; tariffe""",
    "past": """last time; previous; previously; before; again; earlier; used to; my usual; usual; regular; always come; been there; been to; came; visited; my appointment; my booking; reschedule; cancel; rebook; last week|month|year|visit; existing; yesterday; i was there; history; remember me
        mara ya mwisho; mara iliyopita; zamani; kama kawaida; kawaida; nilikuja; nilikuwa; huwa; nilifanya; wiki iliyopita; mwezi uliopita; kuahirisha; kubadilisha; tena; jana; kufuta; nilibook
        ultima volta; solito; volta scorsa; precedente; di nuovo; spostare; sono già""",
    "told_you": """already told|said|gave|given|mentioned|answered; i told you; as i said; like i said; i just said|told|gave; i said; you asked me that|already; you already asked; i've said|told|given; told you already; i mentioned
        nimeshakuambia; nimekuambia; nishakuambia; nilikuambia; nilisema; nimesema; nimeshasema; nishasema; tayari nimesema; kama nilivyosema; nimeshakupa; nimeshatoa; umeshauliza; umeniuliza; nishakupea; nilikwambia; nimekwambia; nimeshajibu; nishajibu
        già detto; te l'ho detto; gliel'ho detto; l'ho già; come ho detto""",
    "slang": "niaje; sasa; mambo; poa; bro; hey; fam; aki; wassup; sup; yo; manze; maze; buda; msee; siz; dear; vipi",
}
