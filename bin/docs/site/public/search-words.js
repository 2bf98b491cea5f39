// The words of the search, by the alphabet of the question: those that say nothing, and those that the pages say otherwise.

const words = (text) => new Set(text.trim().split(/\s+/))

export const STOP_WORDS = {
  en: words(`a about after again all am an and any are as at be been before but by can cannot could did do does doing done
    for from get give got had has have how i if in into is it its let make me mine must my need no not of off on one or
    our out should so some than that the their them then there these they this to too use using was we were what when where which
    while who whom why will with without would you your please want happens happen there's don't doesn't isn't
    still already same each every just like only both else ever know see also new own work works`),
  ru: words(`а без бы был была были было быть в вам вас весь во вот все всё вы где да для до его ее её если есть ещё еще же за и из
    или им их к как какая какие какой когда который которая кто ли мне может можно мой моя мы на над надо нам нас не нет ни но ну нужно
    о об он она они от по под после при про с сам себя со так также там то тогда тоже только у уже хочу чем через что чтобы это этот эта
    эти получить получать я мой свой своя своего делать сделать зачем почему сколько бывает будет почему-то
    наш ваш новый новая завис зависает застрял`),
}

/** Words that mean something together, and what the pages call it. */
export const PHRASES = {
  en: [
    [/servers? (was|is|were|went)? ?(down|offline|unavailable|unreachable)/, 'notifications repeat'],
    [
      /(server|endpoint|receiver|handler|url) (return|answer|respond|fail|crash)\w*( \d{3})?/,
      'notifications repeat',
    ],
    [/how long (do|does|is|can) .*(live|valid|last)\w*/, 'lifetime minutes code'],
    // The names of the statuses of HTTP.
    [
      /bad request|unauthori[sz]ed|forbidden|not found|conflict|too many requests|(service )?unavailable|rate limit\w*/,
      'errors',
    ],
    [/points? of sale/, 'counter'],
    [/real (money|payments?|banks?|customers?)/, 'live checklist'],
    [/access[ -]tokens?/, 'access minutes'],
    [/(create|make|show) (a |an |the )?(payment )?(qr )?(code|link|invoice)/, 'create minutes'],
    [/(return|redirect|come|go|goe)s?( back)? (to the (shop|store|site)|after)|way back/, 'way back minutes'],
  ],
  ru: [
    [
      /сервер\p{L}* (был |была |временно )?(недоступ|упал|лежал|не работал|не отвечал)\p{L}*/u,
      'уведомления повторять',
    ],
    [/сервер\p{L}* (верн|ответ|отвеч|отда)\p{L}* \d{3}/u, 'уведомления повторять'],
    [
      /(запрос|вызов|уведомлен|вебхук)\p{L}* (точно |действительно )?(от вас|от сервиса|настоящ|подлинн|поддел)\p{L}*/u,
      'подпись уведомления',
    ],
    [/слишком много запросов|лимит\p{L}* запросов/u, 'many requests ошибки'],
    [/токен\p{L}* доступа/u, 'доступа минут'],
    [/(созда|сдела|выстав)\p{L}* (qr|код|ссылк|счёт|счет)\S*/u, 'создайте минут'],
    [/(верн|возвра)\p{L}* (покупател\p{L}* )?(в|на) (магазин|сайт)\p{L}*/u, 'магазин минут'],
  ],
}

/** A word of a question, and what the pages call it. */
export const SYNONYMS = {
  en: [
    [/^(web-?hooks?|call-?backs?|ipn|push(es)?|endpoints?|receivers?|deliver(y|ed|ies))$/, ['notifications']],
    [/^(partial(ly)?|part)$/, ['part', 'refund']],
    [/^(money-?back|chargebacks?|return(ed|ing)?|reimburse.*|repay.*)$/, ['refund']],
    [/^(test(s|ing)?|sandbox|fake|simulate[sd]?|mock(s|ed)?|unit|ci|e2e|pretend)$/, ['testing', 'sandbox']],
    [/^(offline|unavailable|unreachable|crash(ed)?|outage)$/, ['notifications', 'retries']],
    [
      /^(recurring|subscriptions?|autopay.*|recurrent|one-click|saved?|remember(ed)?|membership|monthly|instal?lments?)$/,
      ['tokens', 'charge'],
    ],
    [/^(bind(ing)?|link(ed|ing)?-?accounts?)$/, ['tokens', 'consent']],
    [/^(tills?|pos|cash(ier|-?desk)?|registers?|counters?)$/, ['counter']],
    [
      /^(stickers?|print(ed|ing)?|donations?|posters?|tips|labels?|tables?|cafe|restaurant|reusable)$/,
      ['static', 'print'],
    ],
    [/^(signatures?|sign(ed|ing)?|hmac|verif(y|ying|ication)|authentic.*)$/, ['signature', 'notifications']],
    [/^(api-?keys?|bearer|auth|authori[sz]ation|credentials?)$/, ['token']],
    [
      /^(deploy(ment|ing)?|docker|vps|servers?|install(ation|ing)?|systemd|kubernetes|host(ed|ing)?|on-?premises?|linux|machine|data-?cent(er|re)|upgrad(e|ing)|updat(e|ing))$/,
      ['self-hosting'],
    ],
    [/^(backups?|restor(e|ing))$/, ['back', 'restore', 'self-hosting']],
    [/^(production|live|prod|launch(ing)?|real)$/, ['live', 'checklist']],
    [/^(start(ed|ing)?|begin(ning)?|quick-?start|tutorial|first|hello|steps?)$/, ['five', 'minutes']],
    [/^(duplicates?|twice|idempoten.*|again)$/, ['repeat']],
    [/^(retry|retries|retrying)$/, ['repeat']],
    [/^(exceptions?|fail(s|ed|ure|ures)?|status-?codes?|[45]\d\d)$/, ['errors']],
    [/^(redirects?|redirecturl)$/, ['back', 'way']],
  ],
  ru: [
    [/^(вебхук|веб-хук|колбэк|коллбэк|коллбек|нотификац|оповещен|уведомл)/, ['уведомления']],
    [/^(частичн|част|половин)/, ['возврат']],
    [/^(верн|возвра|возврат|отмен.*плат|манибэк)/, ['возврат']],
    [/^(тест|песочниц|проверочн|имитац|понарошку)/, ['тестирование', 'песочница']],
    [/^(недоступ|упал|лежал|падал|отключ|перезагруз|выключ)/, ['уведомления', 'повтор']],
    [
      /^(рекуррент|подписк|автоплат|автосписан|привяз|запомн|ежемесяч|регулярн|сохранит.*счет|сохранит.*счёт)/,
      ['токены', 'согласие'],
    ],
    [/^(списа|списыв)/, ['токены', 'спишите']],
    [/^(касс|продав|прилав|терминал)/, ['касса']],
    [
      /^(наклейк|печат|распечат|табличк|плакат|столик|стол$|кафе|ресторан|пожертв|донат|чаев|постоянн|многоразов)/,
      ['постоянный', 'код'],
    ],
    [/^(подпис)/, ['подпись', 'уведомления']],
    [/^(ключ|авториза|доступ)/, ['токен', 'доступа']],
    [/^(сервер|установ|развер|развёр|докер|хостинг|systemd|обнов)/, ['сервер', 'запустите']],
    [/^(бэкап|резерв|восстанов)/, ['резервная', 'копия', 'восстановление']],
    [/^(боев|продакш|прод$|запуск|настоящ)/, ['боевой', 'запуск']],
    [/^(начат|нача|старт|перв|быстр)/, ['минут', 'запустите']],
    [/^(дубл|дважды|повтор|ещё раз|идемпотент)/, ['повторять']],
    [/^(ошибк|отказ|сбой|[45]\d\d)/, ['ошибки']],
    [/^(редирект|вернул|возвращени)/, ['возврат', 'магазин']],
  ],
}
