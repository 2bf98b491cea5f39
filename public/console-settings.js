// The settings: a logo that is chosen is made small here, so that nothing but its pixels leaves the device; the preview follows.

/** Pixels of the longer side: enough for a printed sheet. */
const SIDE = 512
/** Bytes that the service takes. */
const MOST = 256 * 1024

const form = document.querySelector('form[data-settings]')
const shown = (name) => document.querySelector(`[data-shown=${name}]`)
const { elements } = form
const file = form.querySelector('[data-file]')
const hint = document.getElementById('logo-hint')
const picker = form.querySelector('[data-picker]')
const firstHint = hint.textContent

/** The picture as its pixels alone: what a camera wrote beside them is not drawn. */
async function redrawn(source) {
  const reader = new FileReader()
  const read = new Promise((resolve, reject) => {
    reader.onload = resolve
    reader.onerror = reject
  })
  reader.readAsDataURL(source)
  await read
  const image = new Image()
  image.src = reader.result
  await image.decode()
  // A drawing of lines can have no size of its own.
  const [width, height] = [image.naturalWidth || SIDE, image.naturalHeight || SIDE]
  for (let side = SIDE; side >= SIDE / 4; side /= 2) {
    const scale = Math.min(1, side / Math.max(width, height))
    const canvas = document.createElement('canvas')
    canvas.width = Math.max(1, Math.round(width * scale))
    canvas.height = Math.max(1, Math.round(height * scale))
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0, canvas.width, canvas.height)
    const png = canvas.toDataURL('image/png')
    if (bytesOf(png) <= MOST) return png
    // A photo has no transparent parts to lose.
    context.globalCompositeOperation = 'destination-over'
    context.fillStyle = '#fff'
    context.fillRect(0, 0, canvas.width, canvas.height)
    const jpeg = canvas.toDataURL('image/jpeg', 0.85)
    if (bytesOf(jpeg) <= MOST) return jpeg
  }
  return undefined
}

const base64Of = (address) => address.slice(address.indexOf(',') + 1)
const bytesOf = (address) => (base64Of(address).length * 3) / 4

file.addEventListener('change', async () => {
  const [source] = file.files
  elements.logo.value = ''
  file.removeAttribute('aria-invalid')
  hint.textContent = firstHint
  if (!source) return showLogo()
  const made = await redrawn(source).catch(() => '')
  if (!made) {
    file.value = ''
    file.setAttribute('aria-invalid', 'true')
    hint.textContent = made === '' ? file.dataset.unreadable : file.dataset.large
    return showLogo()
  }
  elements.logo.value = base64Of(made)
  if (elements.removeLogo) elements.removeLogo.checked = false
  showChosen(made)
})

function showChosen(address) {
  const image = new Image(40, 40)
  image.className = 'mark'
  image.alt = ''
  image.src = address
  shown('logo').replaceChildren(image)
}

const stored = shown('logo').firstElementChild

/** The logo that the service has, or without one the first letter of the name. */
function showLogo() {
  if (elements.logo.value) return
  const hasLogo = stored.matches('img') && !elements.removeLogo?.checked
  const letter = document.createElement('span')
  letter.className = 'mark'
  letter.ariaHidden = 'true'
  letter.textContent = /[\p{L}\p{N}]/u.exec(shown('name').textContent)?.[0].toUpperCase() ?? ''
  shown('logo').replaceChildren(hasLogo ? stored : letter)
}

/** WCAG 2.2, "relative luminance". */
const luminance = (color) =>
  [0.2126, 0.7152, 0.0722].reduce((sum, share, i) => {
    const value = Number.parseInt(color.slice(1 + 2 * i, 3 + 2 * i), 16) / 255
    return sum + share * (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
  }, 0)

function show() {
  const { name, legalName, taxId, supportContact, color } = elements
  shown('name').textContent = name.value.trim() || form.dataset.settings
  shown('contact').firstElementChild.textContent = supportContact.value
  const seller = shown('seller')
  const tax = taxId.value.trim() && `${seller.dataset.tax} ${taxId.value.trim()}`
  const parts = [legalName.value.trim(), tax].filter(Boolean).join(', ')
  seller.textContent = parts && `${seller.dataset.seller}: ${parts}`
  const { style } = shown('pay')
  const isColor = /^#[0-9a-f]{6}$/i.test(color.value)
  const page = getComputedStyle(document.documentElement)
  const shownColor = isColor ? color.value : page.getPropertyValue('--act').trim()
  picker.value = shownColor.toLowerCase()
  style.background = shownColor
  const legible = 1.05 / (luminance(shownColor) + 0.05) >= 4.5 ? '#fff' : '#000'
  style.color = isColor ? legible : page.getPropertyValue('--on-act')
  showLogo()
}

picker.addEventListener('input', () => {
  elements.color.value = picker.value
  show()
})
form.addEventListener('input', ({ target }) => target !== picker && show())
show()
// The form came back because of another field.
if (elements.logo.value) showChosen(`data:image/png;base64,${elements.logo.value}`)
