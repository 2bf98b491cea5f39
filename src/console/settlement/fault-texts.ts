// The faults of a file in Russian: what is there, and what must be there. The parsers write them in English (src/settlement/formats).

type Words = readonly (readonly [RegExp, string])[]

/** What is there. */
const FOUND: Words = [
  [/^is empty$/, 'пусто'],
  [/^is empty, as (\d+) lines before it$/, 'пусто, как и $1 строк перед этой'],
  [/^is missing$/, 'столбца или поля нет'],
  [/^is there twice$/, 'встречается дважды'],
  [/^is not a (?:column|field) of this file$/, 'такого столбца или поля в формате нет'],
  [/^is not empty$/, 'не пусто'],
  [/^is nested too deep$/, 'слишком глубокая вложенность'],
  [/^is the last line$/, 'это последняя строка'],
  [/^is in a section$/, 'стоит внутри секции'],
  [/^is in the section of an account$/, 'стоит внутри секции счёта'],
  [/^is another key of its section$/, 'лишний ключ секции'],
  [
    /^is not the title of a report of one or more days$/,
    'это не заголовок отчёта за один или несколько дней',
  ],
  [/^is not a zip$/, 'это не архив zip'],
  [/^is not (?:an object|a list of objects)$/, 'это не то, что описывает банк'],
  [/^is not (JSON|UTF-8)$/, 'это не $1'],
  [/^is (UTF-8|UTF-16|HTML|PDF|JSON)$/, 'это $1'],
  [/^is a zip that is cut off$/, 'архив zip обрезан'],
  [/^is a zip that is damaged$/, 'архив zip повреждён'],
  [/^is a zip that is encrypted$/, 'архив zip с паролем'],
  [/^is a zip of (\d+) files$/, 'файлов в архиве zip: $1'],
  [/^is a zip of the method (\d+)$/, 'архив zip со способом сжатия $1'],
  [/^is a zip$/, 'это архив zip'],
  [/^is T-Bank's registry$/, 'это реестр Т-Банка'],
  [/^is Raiffeisenbank's registry$/, 'это реестр Райффайзенбанка'],
  [/^is a statement 1CClientBankExchange$/, 'это выписка 1CClientBankExchange'],
  [/^is Tochka's registry$/, 'это реестр Точки'],
  [/^is Tochka Pay Gateway's registry$/, 'это реестр Pay Gateway Точки'],
  [/^is longer than (\d+) characters$/, 'длиннее $1 символов'],
  [/^is ([\s\S]+), which line (\d+) has too$/, '«$1» есть и в строке $2'],
  [/^has (\d+) cells$/, 'ячеек: $1'],
  [/^has amounts of more than (\S+) in all$/, 'все суммы вместе больше $1 ₽'],
  [/^has no =$/, 'нет знака ='],
  [/^has no СекцияРасчСчет$/, 'нет секции СекцияРасчСчет'],
  [/^has the character (U\+[\dA-F]+)$/, 'есть символ $1'],
  [/^follows (?:the total|ИТОГО|КонецФайла)$/, 'стоит после конца данных'],
  [/^is not stated$/, 'не указано'],
  [/^is ([\s\S]*)$/, '«$1»'],
]

/** What must be there. */
const WANTED: Words = [
  [/^be (?:there|a column)$/, 'должно быть'],
  [/^be absent$/, 'не должно быть'],
  [/^be there once$/, 'должно быть один раз'],
  [/^be empty(?:, because the type is (.+))?$/, 'должно быть пусто'],
  [/^be another one$/, 'номер не должен повторяться'],
  [/^be shorter$/, 'должно быть короче'],
  [/^be a day such as (.+)$/, 'нужен день, например $1'],
  [/^be a day or a time such as (.+)$/, 'нужны день или время, например $1'],
  [/^be a (?:time|minute) such as (.+)$/, 'нужно время, например $1'],
  [/^be a type such as (.+)$/, 'нужен тип, например $1'],
  [/^be a type that the bank describes$/, 'нужен тип из описания банка'],
  [/^be digits$/, 'нужны цифры'],
  [/^be (\d+) digits$/, 'нужны цифры, всего $1'],
  [/^be 32 digits and capital letters$/, 'нужны 32 цифры и заглавные буквы'],
  [/^be 1 to 64 letters, digits.*$/, 'нужно от 1 до 64 букв, цифр и знаков'],
  [/^be the number of the line$/, 'нужен номер строки'],
  [/^be the number of a merchant$/, 'нужен номер магазина'],
  [/^be the number of a refund, because the type is (.+)$/, 'нужен номер возврата, потому что тип — $1'],
  [/^be the id of a QR code$/, 'нужен номер QR-кода'],
  [/^be more than (\d+), the number before$/, 'нужно больше $1, номера строки перед ней'],
  [/^be more than 0, by its type$/, 'у такого типа должно быть больше 0'],
  [/^not be 0(?:, by its type)?$/, 'не должно быть 0'],
  [/^not be negative(?:, because it is a payment)?$/, 'не должно быть меньше 0'],
  [/^be 0.*$/, 'должно быть 0'],
  [
    /^be (-?[\d.]+), the (?:amount less the (?:fees|commission)|sum of the (?:lines|documents|payments))$/,
    'по остальным числам файла должно быть $1',
  ],
  [/^be from (\S+) to (\S+), as the title says$/, 'по заголовку должно быть с $1 по $2'],
  [
    /^be stated, or ДатаСписано, with an account of the statement$/,
    'должно быть указано оно или ДатаСписано, со счётом выписки',
  ],
  [/^be the name of .*$/, 'нужно название'],
  [/^be (.+) or the name of a card system$/, 'нужно $1 или платёжная система карты'],
  [/^be ИТОГО: the file is cut off$/, 'последней должна быть ИТОГО: файл обрезан'],
  [/^be КонецФайла: the file is cut off$/, 'последней должна быть КонецФайла: файл обрезан'],
  [/^be one of (.+)$/, 'нужно одно из: $1'],
  [/^be one$/, 'должен быть'],
  [/^be KEY=VALUE$/, 'нужно КЛЮЧ=ЗНАЧЕНИЕ'],
  [/^be T-Bank's registry$/, 'нужен реестр Т-Банка'],
  [/^be Raiffeisenbank's registry$/, 'нужен реестр Райффайзенбанка'],
  [/^be a statement 1CClientBankExchange$/, 'нужна выписка 1CClientBankExchange'],
  [/^be Tochka's registry$/, 'нужен реестр Точки'],
  [/^be Tochka Pay Gateway's registry$/, 'нужен реестр Pay Gateway Точки'],
  [/^be (windows-1251|utf-8|ibm866)$/, 'нужна кодировка $1'],
  // `is not JSON, must be`: the first says all.
  [/^(?:not )?be$/, ''],
  [/^follow its end$/, 'должно стоять после неё'],
  [/^follow КонецРасчСчет$/, 'должно стоять после КонецРасчСчет'],
  [
    /^be windows-1251, Windows or DOS, as the file is$/,
    'нужно windows-1251, Windows или DOS, как у самого файла',
  ],
  [/^be (.+) or (.+), as in the lines before$/, 'нужно $1 или $2, как в строках выше'],
  [/^have (\d+) or (\d+)$/, 'нужно $1 или $2'],
  [/^have (\d+)$/, 'нужно $1'],
  [/^have less$/, 'должно быть меньше'],
  [/^have (?:one|none that controls)$/, 'так быть не должно'],
  [/^have at most two digits behind a point$/, 'после точки нужно не больше двух цифр'],
  [/^have two digits behind a point$/, 'после точки нужны две цифры'],
  [/^have two digits$/, 'нужны две цифры копеек'],
  [/^have (?:at most (\d+)|1 to 64) characters$/, 'слишком длинно или пусто'],
  [/^have the sign of the other fee$/, 'нужен тот же знак, что у другой комиссии'],
  [
    /^show .* as line (\d+) does: a file cannot mix two ways$/,
    'должно быть записано так же, как в строке $1: файл не может писать это двумя способами',
  ],
  [/^be (.+)$/, 'должно быть $1'],
]

/** Of a file that contradicts an earlier one. */
const CONTRADICTION = /^(is [\s\S]+), differs from (.+) of the file ([\s\S]+)$/

/** The fault in Russian; undefined of a text that no rule has. */
export function faultInRussian(text: string): string | undefined {
  const [, now, before, file] = CONTRADICTION.exec(text) ?? []
  if (now !== undefined)
    return `${inWords(now, FOUND)}, а в файле «${file}» ${inWords(`is ${before}`, FOUND)}`
  // What a file has can have these words, too: the rule is behind the last ones.
  const at = text.startsWith('must ') ? 0 : text.lastIndexOf(', must ')
  if (at < 0) return inWords(text, FOUND)
  const wanted = inWords(text.slice(at).replace(/^(?:, )?must /, ''), WANTED)
  const found = at === 0 ? '' : inWords(text.slice(0, at), FOUND)
  if (found === undefined || wanted === undefined) return undefined
  return [found, wanted].filter(Boolean).join(', ')
}

function inWords(text: string, words: Words): string | undefined {
  const [pattern, russian] = words.find(([each]) => each.test(text)) ?? []
  if (pattern === undefined || russian === undefined) return undefined
  const groups = pattern.exec(text) ?? []
  return russian.replace(/\$(\d)/g, (_, group: string) => groups[Number(group)] ?? '')
}
