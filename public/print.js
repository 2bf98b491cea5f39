// The sheet to print: its button.
document.querySelector('[data-print]').addEventListener('click', () => window.print())
