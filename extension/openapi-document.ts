import { extname } from 'node:path';
import { parseJsonFile } from '../exchange/json-file.ts';
import { importOptionalPeer } from '../exchange/optional-peer.ts';
import { messageOf } from '../schemas/error-message.ts';
import { isObject } from '../schemas/json.ts';
import { decodeSegment } from '../schemas/path-template.ts';
import { valueAtPointer } from '../schemas/pointer.ts';
import { ExtensionError } from './extension-file.ts';

/** Maximum length of a chain of references, far above that of real documents. */
const MAX_REFERENCES = 50;

export type DocumentObject = Readonly<Record<string, unknown>>;

export class OpenApiDocument {
  readonly fileName: string;
  /** The parsed document, of which only the version of OpenAPI has been checked. */
  readonly root: DocumentObject;

  constructor(fileName: string, root: DocumentObject) {
    this.fileName = fileName;
    this.root = root;
  }

  errorAt(place: string, problem: string): ExtensionError {
    return new ExtensionError(`${this.fileName}, ${place}: ${problem}.`);
  }

  /** Follows all references of a value. Throws ExtensionError, which names `place`, unless they lead to an object. */
  resolve(value: unknown, place: string): DocumentObject {
    let target = value;
    for (let followed = 0; isObject(target) && typeof target['$ref'] === 'string'; followed += 1) {
      if (followed === MAX_REFERENCES)
        throw this.errorAt(place, `the reference ${target['$ref']} leads back to itself`);
      target = this.resolveReference(target['$ref'], place);
    }
    if (isObject(target)) return target;
    throw this.errorAt(place, 'an object is expected');
  }

  resolveReference(ref: string, place: string): unknown {
    if (!ref.startsWith('#/'))
      throw this.errorAt(
        place,
        `the reference ${ref} does not begin with #/; bundle the document into one file`,
      );
    const value = valueAtPointer(this.root, decodeSegment(ref.slice(1)));
    if (value === undefined) throw this.errorAt(place, `the reference ${ref} leads nowhere`);
    return value;
  }
}

/** Parses OpenAPI 3.1, as YAML or JSON by the suffix of `where`. Rejects with ExtensionError or MissingPeer. */
export async function parseOpenApiDocument(text: string, where: string): Promise<OpenApiDocument> {
  const root = await parseText(text, where);
  if (!isObject(root)) throw new ExtensionError(`${where} does not contain an object.`);
  const { openapi } = root;
  if (typeof openapi !== 'string' || !openapi.startsWith('3.1'))
    throw new ExtensionError(
      `${where} is ${typeof openapi === 'string' ? `OpenAPI ${openapi}` : 'not an OpenAPI document'}; an extension needs OpenAPI 3.1.`,
    );
  return new OpenApiDocument(where, root);
}

async function parseText(text: string, where: string): Promise<unknown> {
  if (!['.yaml', '.yml'].includes(extname(where))) return parseJsonFile(text, where, ExtensionError);
  const { parseDocument } = await importOptionalPeer('yaml', `Reading ${where}`, () => import('yaml'));
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new ExtensionError(`${where} is not valid YAML: ${error.message}`);
  try {
    // Aliases can expand exponentially.
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // An alias without an anchor, or too many aliases.
    throw new ExtensionError(`${where} is not valid YAML: ${messageOf(error)}.`);
  }
}
