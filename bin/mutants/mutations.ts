// Makes the mutants of a source text: one operator, condition, literal or statement changed in each.
// TypeScript 7 has no parser for programs yet; the package of the client's generators, a workspace of its own, has the one before.
import ts from '../../test/client/node_modules/typescript/lib/typescript.js'

export interface Mutant {
  /** Of the changed text, from 0. */
  start: number
  end: number
  replacement: string
  /** From 1. */
  line: number
}

const { SyntaxKind } = ts

const OPERATORS: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [SyntaxKind.EqualsEqualsEqualsToken, '!=='],
  [SyntaxKind.ExclamationEqualsEqualsToken, '==='],
  [SyntaxKind.LessThanToken, '<='],
  [SyntaxKind.LessThanEqualsToken, '<'],
  [SyntaxKind.GreaterThanToken, '>='],
  [SyntaxKind.GreaterThanEqualsToken, '>'],
  [SyntaxKind.AmpersandAmpersandToken, '||'],
  [SyntaxKind.BarBarToken, '&&'],
  [SyntaxKind.PlusToken, '-'],
  [SyntaxKind.MinusToken, '+'],
  [SyntaxKind.AsteriskToken, '/'],
  [SyntaxKind.SlashToken, '*'],
])

/** Codes and names; a text with white space or Russian letters is for people, and no test must check it. */
const isCode = (text: string): boolean => /^[^\s<>\u0400-\u04ff]+$/.test(text)

export function mutantsOf(path: string, source: string): Mutant[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const mutants: Mutant[] = []
  const change = (node: ts.Node, replacement: string) => {
    const start = node.getStart(file)
    mutants.push({
      ...{ start, end: node.end, replacement },
      line: file.getLineAndCharacterOfPosition(start).line + 1,
    })
  }
  const negate = (condition: ts.Expression) => change(condition, `!(${condition.getText(file)})`)
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    if (ts.isBinaryExpression(node)) {
      const operator = OPERATORS.get(node.operatorToken.kind)
      if (operator !== undefined) change(node.operatorToken, operator)
    } else if (ts.isIfStatement(node)) negate(node.expression)
    else if (ts.isConditionalExpression(node)) negate(node.condition)
    else if (ts.isNumericLiteral(node)) change(node, `(${node.getText(file)} + 1)`)
    else if (node.kind === SyntaxKind.TrueKeyword) change(node, 'false')
    else if (node.kind === SyntaxKind.FalseKeyword) change(node, 'true')
    else if (ts.isStringLiteral(node) && isCode(node.text)) change(node, "''")
    else if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) change(node, ';')
    ts.forEachChild(node, (child) => {
      const isName = 'name' in node && node.name === child && !ts.isComputedPropertyName(child)
      if (!isName) visit(child)
    })
  }
  visit(file)
  return mutants
}

export const mutate = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end)
