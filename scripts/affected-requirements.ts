/** Sources that affect any requirement: judge, parsers, the shared parts of suites, code that loads the schemas. */
const GENERAL_SOURCES =
  /^(judge|explain|exchange|pipeline\/judging|suites\/(generate|vocabulary|rows|data|choices\.json|[^/]+\.ts)|schemas\/[^/]+\.ts)/;

export function makeAffectedFilter(files: readonly string[]): (id: string) => boolean {
  const code = files.filter((file) => !file.endsWith('.test.ts'));
  if (code.some((file) => GENERAL_SOURCES.test(file) || file === 'schemas/openapi.json')) return () => true;
  const areas = new Set(code.flatMap((file) => /^suites\/([^/]+)\//.exec(file)?.[1] ?? []));
  // Other schemas may refer to a changed one, so all schema requirements are affected.
  const affectsSchemas = code.some((file) => /^schemas\/.*\.json$/.test(file));
  return (id) => (affectsSchemas && id.includes(':')) || areas.has(id.split('.')[0] ?? '');
}
