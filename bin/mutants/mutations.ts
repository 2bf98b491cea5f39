// Makes the mutants of a source text: one operator, condition, literal, statement or word of SQL changed in each.
// TypeScript 7 has no parser for programs yet; the package of the client's generators, a workspace of its own, has the one before.
import ts from '../../test/client/node_modules/typescript/lib/typescript.js'

export interface Mutant {
  /** The offset of the changed text, from 0. */
  start: number
  end: number
  replacement: string
  /** From 1. */
  line: number
  /** Whether it is in a text of SQL, which no type checks. */
  isSql: boolean
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

const IS_SQL = /\b(SELECT|INSERT|UPDATE|DELETE|WHERE|ORDER BY)\b/
const SQL_CHANGES: readonly (readonly [RegExp, string])[] = [
  // A comparison of a condition, not an assignment.
  [/(?<=\b(?:WHERE|AND|OR|ON|NOT) [^\s=]+) = /g, ' <> '],
  [/ <> /g, ' = '],
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/(?<!BETWEEN \S+) AND /g, ' OR '],
  [/ OR /g, ' AND '],
  [/ NOT IN /g, ' IN '],
  [/(?<! NOT) IN /g, ' NOT IN '],
  [/ IS NOT NULL\b/g, ' IS NULL'],
  [/ IS NULL\b/g, ' IS NOT NULL'],
  [/ DESC\b/g, ''],
  [/\bmin\(/g, 'max('],
  [/\bmax\(/g, 'min('],
]

/** Codes and names; a text with white space or Russian letters is for people, and no test must check it. */
const isCode = (text: string): boolean => /^[^\s<>\u0400-\u04ff]+$/.test(text)

export function mutantsOf(path: string, source: string): Mutant[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true)
  const mutants: Mutant[] = []
  const replace = (start: number, end: number, replacement: string, isSql = false) => {
    const line = file.getLineAndCharacterOfPosition(start).line + 1
    mutants.push({ start, end, replacement, line, isSql })
  }
  const change = (node: ts.Node, replacement: string) => replace(node.getStart(file), node.end, replacement)
  const changeSql = (node: ts.Node) => {
    const text = node.getText(file)
    if (!IS_SQL.test(text)) return
    for (const [pattern, replacement] of SQL_CHANGES) {
      for (const { index, 0: found } of text.matchAll(pattern)) {
        const start = node.getStart(file) + index
        replace(start, start + found.length, replacement, true)
      }
    }
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
    if (ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node)) changeSql(node)
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
