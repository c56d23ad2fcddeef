// Measures one source file: its lines, functions, types, exported names and imports. Reads no disk.
import { parseSync } from 'oxc-parser';

const functionTypes = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
const branchTypes = new Set([
  'IfStatement',
  'ConditionalExpression',
  'LogicalExpression',
  'ForStatement',
  'ForInStatement',
  'ForOfStatement',
  'WhileStatement',
  'DoWhileStatement',
  'CatchClause',
  'AssignmentPattern',
]);
const importTypes = new Set([
  'ImportDeclaration',
  'ExportNamedDeclaration',
  'ExportAllDeclaration',
  'ImportExpression',
  'TSImportType',
]);

/** The path is relative to the root of the tree and uses slashes. The strings of a test count as data. */
export function measureSource(path, source, isTest) {
  const { program, errors } = parseSync(path, source);
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0].message}`);
  const lines = source.replace(/\n$/, '').split('\n');
  const found = {
    functions: [],
    nestedTernaries: [],
    types: [],
    exports: new Set(),
    imports: [],
    texts: [],
    passed: new Set(),
  };
  const lineOf = lineCounter(source);
  walk(program, undefined, (node, enclosing) => visit({ node, enclosing, found, lineOf, isTest }));
  const { texts, ...figures } = found;
  return {
    path,
    lines,
    ...figures,
    exports: [...found.exports],
    passed: [...found.passed],
    shortLines: without(texts, source),
  };
}

/** Looks at one node; returns the function that encloses the nodes below it. */
function visit({ node, enclosing, found, lineOf, isTest }) {
  if (enclosing && isBranch(node)) enclosing.complexity += 1;
  if (node.type === 'ConditionalExpression' && isNested(node)) found.nestedTernaries.push(lineOf(node.start));
  if (node.type === 'ExportNamedDeclaration') exportedNames(node).forEach((name) => found.exports.add(name));
  if (node.type === 'TSInterfaceDeclaration') found.types.push(interfaceShape(node));
  if (node.type === 'TSTypeAliasDeclaration') found.types.push(aliasShape(node));
  if (isUnbreakable(node, isTest)) found.texts.push(node);
  const imported = importedPath(node);
  if (imported !== undefined) found.imports.push(imported);
  if (!functionTypes.has(node.type)) return enclosing;
  node.params.forEach((parameter) => passedTypes(parameter).forEach((name) => found.passed.add(name)));
  const [first, last] = [lineOf(node.start), lineOf(node.end)];
  const measured = { line: first, length: last - first + 1, complexity: 1 };
  found.functions.push(measured);
  return measured;
}

/** Template texts and regular expressions cannot be broken; nor can strings in tests, which are data. */
function isUnbreakable({ type, regex, value }, isTest) {
  return (
    type === 'TemplateLiteral' ||
    Boolean(regex) ||
    (isTest && type === 'Literal' && typeof value === 'string')
  );
}

/** The lines of a source without the text of some of its nodes. */
function without(nodes, source) {
  const line = (node) => source.slice(node.start, node.end).replaceAll(/[^\n]/g, '');
  const outer = nodes.filter(
    ({ start, end }) => !nodes.some((other) => other.start < start && end < other.end),
  );
  const parts = outer.map((node, at) => source.slice(outer[at - 1]?.end ?? 0, node.start) + line(node));
  return [...parts, source.slice(outer.at(-1)?.end ?? 0)].join('').split('\n');
}

/** The same branches that the linter's rule `complexity` counts. */
function isBranch(node) {
  if (branchTypes.has(node.type)) return true;
  if (node.type === 'SwitchCase') return node.test !== null;
  if (node.type === 'AssignmentExpression') return ['&&=', '||=', '??='].includes(node.operator);
  return (node.type === 'MemberExpression' || node.type === 'CallExpression') && node.optional;
}

function isNested({ test, consequent, alternate }) {
  const parts = [test, consequent, alternate].map(withoutParentheses);
  return parts.some(({ type }) => type === 'ConditionalExpression');
}

function withoutParentheses(node) {
  return node.type === 'ParenthesizedExpression' ? withoutParentheses(node.expression) : node;
}

/** The names that a statement declares and exports; re-exports from another file do not count. */
function exportedNames({ declaration, source, specifiers }) {
  if (source) return [];
  const local = specifiers.map(({ exported }) => exported.name ?? exported.value);
  if (!declaration) return local;
  if (declaration.declarations) return declaration.declarations.map(({ id }) => id.name).filter(Boolean);
  return declaration.id ? [declaration.id.name] : [];
}

/** The name of the type that a parameter is declared with, if it is one name. */
function passedTypes(parameter) {
  const inner = parameter.parameter ?? parameter.left ?? parameter;
  const type = inner.typeAnnotation?.typeAnnotation;
  return type?.type === 'TSTypeReference' && type.typeName.name ? [type.typeName.name] : [];
}

function interfaceShape(node) {
  const bases = node.extends.map(({ expression }) => expression.name).filter(Boolean);
  return { name: node.id.name, members: node.body.body.length, bases };
}

function aliasShape(node) {
  return { name: node.id.name, ...shape(node.typeAnnotation) };
}

/** How many members a type writes out, and the names of the types that it adds to them. */
function shape(type) {
  if (type.type === 'TSTypeLiteral') return { members: type.members.length, bases: [] };
  const name = type.type === 'TSTypeReference' ? type.typeName.name : undefined;
  if (type.type !== 'TSIntersectionType') return { members: 0, bases: name ? [name] : [] };
  const parts = type.types.map(shape);
  return {
    members: parts.reduce((sum, { members }) => sum + members, 0),
    bases: parts.flatMap(({ bases }) => bases),
  };
}

function importedPath(node) {
  return importTypes.has(node.type) ? node.source?.value : undefined;
}

function walk(node, enclosing, look) {
  const inner = look(node, enclosing);
  for (const value of Object.values(node)) {
    if (Array.isArray(value)) value.filter(isNode).forEach((child) => walk(child, inner, look));
    else if (isNode(value)) walk(value, inner, look);
  }
}

function isNode(value) {
  return typeof value === 'object' && value !== null && typeof value.type === 'string';
}

function lineCounter(source) {
  const starts = [0, ...[...source.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
