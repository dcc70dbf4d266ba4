// Templates of paths, `/v1/files/{file_id}`. A parameter takes a whole segment.
import type { Operation } from './contract.ts';

const PARAMETER = /\{([^{}]+)\}/g;

export type PathTemplate = readonly ({ readonly fixed: string } | { readonly parameter: string })[];

export function parseTemplate(path: string): PathTemplate {
  return path.split('/').map((part) => {
    const [, parameter] = /^\{([^{}]+)\}$/.exec(part) ?? [];
    return parameter === undefined ? { fixed: part } : { parameter };
  });
}

/** Returns the decoded values by parameter name, or null if the path does not match. Values must not be empty. */
export function matchTemplate(
  template: PathTemplate,
  segments: readonly string[],
): Readonly<Record<string, string>> | null {
  const matches =
    template.length === segments.length &&
    template.every((part, n) => ('fixed' in part ? part.fixed === segments[n] : segments[n] !== ''));
  if (!matches) return null;
  return Object.fromEntries(
    template.flatMap((part, n) =>
      'parameter' in part ? [[part.parameter, decodeSegment(segments[n] ?? '')]] : [],
    ),
  );
}

/** The names of the parameters of a path, in order. */
export function pathParameters({ path }: Pick<Operation, 'path'>): readonly string[] {
  return [...path.matchAll(PARAMETER)].map(([, name = '']) => name);
}

/** Replaces each parameter of a path with its value, percent-encoded. */
export function fillTemplate(path: string, findValue: (parameter: string) => string): string {
  return path.replaceAll(PARAMETER, (_, name: string) => encodeSegment(findValue(name)));
}

/** Percent-encodes a path segment; replaces lone surrogates, which have no UTF-8 form, with U+FFFD. */
export function encodeSegment(segment: string): string {
  return encodeURIComponent(Buffer.from(segment).toString());
}

/** Percent-decodes a path segment; returns it unchanged if an escape is invalid. */
export function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
