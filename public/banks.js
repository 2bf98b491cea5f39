// The list of banks: finds one by what the payer types, and shows the last three first; they are kept on this device alone.

/** Names that people still use, by the present one. */
const ALSO = [
  [/сбер/, 'сбербанк sberbank sber'],
  [/т-?банк/, 'тинькофф тинькоф tinkoff росбанк rosbank tbank'],
  [/втб/, 'vtb банк москвы открытие otkritie почта банк'],
  [/альфа/, 'alfa alpha'],
  [/газпромбанк|гпб/, 'газпромбанк gazprombank гпб gpb'],
  [/россельхоз|рсхб/, 'россельхозбанк рсхб rshb'],
  [/промсвязь|псб/, 'промсвязьбанк псб psb'],
  [/райф/, 'raiffeisen raif'],
  [/совкомбанк/, 'халва хоум кредит home credit sovcombank'],
  [/хоум/, 'home credit'],
  [/московский кредитный|мкб/, 'московский кредитный банк мкб mkb'],
  [/юмани|yoomoney/, 'яндекс деньги юmoney yoomoney yandex money'],
  [/яндекс/, 'yandex'],
  [/озон|ozon/, 'озон ozon'],
  [/вайлдберриз|wildberries|вб банк/, 'вайлдберриз wildberries wb вб'],
  [/мтс/, 'mts'],
  [/дом\.?рф/, 'domrf российский капитал'],
  [/синара/, 'скб банк'],
  [/драйв клик/, 'сетелем cetelem'],
  [/ингосстрах/, 'союз'],
  [/ренессанс/, 'renaissance'],
  [/уральский банк реконструкции|убрир/, 'убрир ubrir'],
  [/ак барс/, 'akbars'],
  [/цифра/, 'киви qiwi'],
  [/бкс/, 'bcs bks'],
  [/отп/, 'otp'],
  [/русский стандарт/, 'rsb рсб'],
  [/точка/, 'tochka'],
]

/** The letters by the keys of a Russian keyboard, and of an English one. */
const RUSSIAN = 'йцукенгшщзхъфывапролджэячсмитьбю'
const ENGLISH = "qwertyuiop[]asdfghjkl;'zxcvbnm,."
const SOUNDS = 'a b v g d e j z i i k l m n o p r s t u f h c ch sh sh  i  e u a'.split(' ')
const CYRILLIC = 'абвгдежзийклмнопрстуфхцчшщъыьэюя'

/** How a name sounds, in Latin letters: the ways to spell a sound become one. */
const sound = (text) =>
  Array.from(text.toLowerCase().normalize('NFC').replaceAll('ё', 'е'), (each) => {
    const at = CYRILLIC.indexOf(each)
    return at < 0 ? each : SOUNDS[at]
  })
    .join('')
    .replace(/[^a-z0-9]/g, '')
    .replace(/zh/g, 'j')
    .replace(/kh/g, 'h')
    .replace(/(ph|ff)/g, 'f')
    .replace(/x/g, 'ks')
    .replace(/w/g, 'v')
    .replace(/(ck|q|c(?!h))/g, 'k')
    .replace(/ts/g, 'k')
    .replace(/[iy]([aeu])/g, '$1')
    .replace(/[yj]/g, 'i')
    .replace(/(.)\1+/g, '$1')

/** The same keys on the other keyboard. */
const otherLayout = (text) =>
  Array.from(text.toLowerCase(), (each) => {
    const [russian, english] = [RUSSIAN.indexOf(each), ENGLISH.indexOf(each)]
    return russian >= 0 ? ENGLISH[russian] : english >= 0 ? RUSSIAN[english] : each
  }).join('')

const main = document.querySelector('.banks')
const search = main?.querySelector('[data-search]')
if (search) {
  const items = Array.from(main.querySelectorAll('[data-banks] li'))
  const recent = main.querySelector('[data-recent]')
  const none = main.querySelector('[data-none]')
  const banks = items.map((item) => {
    const name = item.querySelector('bdi').textContent.toLowerCase()
    const also = ALSO.flatMap(([pattern, names]) => (pattern.test(name) ? names : []))
    return { item, heard: [name, ...also].map(sound) }
  })
  const finds = (wanted) => banks.filter(({ heard }) => heard.some((name) => name.includes(wanted)))
  const filter = () => {
    const wanted = search.value.trim()
    const direct = finds(sound(wanted))
    const found = wanted && direct.length === 0 ? finds(sound(otherLayout(wanted)) || '-') : direct
    for (const { item } of banks) item.hidden = true
    for (const { item } of found) item.hidden = false
    recent.hidden = wanted !== '' || last.length === 0
    none.textContent = found.length > 0 ? '' : none.dataset.none
  }
  const kept = JSON.parse(localStorage.getItem('banks') ?? '[]')
  const last = kept.flatMap((bank) =>
    items.filter((item) => item.firstElementChild.dataset.bank === bank).slice(0, 1),
  )
  recent.querySelector('ul').replaceChildren(...last.map((item) => item.cloneNode(true)))
  search.addEventListener('input', filter)
  // A payer can type before the script has come.
  filter()
  main.addEventListener('click', ({ target }) => {
    const { bank } = target.closest('[data-bank]')?.dataset ?? {}
    if (!bank) return
    const now = [bank, ...kept.filter((each) => each !== bank)].slice(0, 3)
    localStorage.setItem('banks', JSON.stringify(now))
  })
}
