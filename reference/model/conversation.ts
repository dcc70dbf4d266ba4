import { isJsonObject, type JsonObject } from '../http/json.ts';
import { countTokens } from './tokens.ts';

/** One message as the stand-in model reads it; `images` is their number. */
export interface Turn {
  readonly role: string;
  readonly text: string;
  readonly images: number;
}

export interface CallableFunction {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/** Tokens of a message in addition to its text, and of an image. */
const perTurn = 4;
const perImage = 85;

export function readContent(content: unknown): { text: string; images: number } {
  if (typeof content === 'string') return { text: content, images: 0 };
  if (!Array.isArray(content)) return { text: '', images: 0 };
  const texts: string[] = [];
  let images = 0;
  for (const part of content) {
    if (!isJsonObject(part)) continue;
    if (typeof part['text'] === 'string') texts.push(part['text']);
    if (part['type'] === 'image_url' || part['type'] === 'image_file') images += 1;
  }
  return { text: texts.join(' '), images };
}

/** The functions among the tools of a request; other tools and invalid ones are ignored. */
export function readTools(tools: unknown): CallableFunction[] {
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => {
    const fn = isJsonObject(tool) ? tool['function'] : null;
    if (!isJsonObject(fn) || typeof fn['name'] !== 'string') return [];
    const description = typeof fn['description'] === 'string' ? fn['description'] : '';
    return [
      { name: fn['name'], description, parameters: isJsonObject(fn['parameters']) ? fn['parameters'] : {} },
    ];
  });
}

export function countPromptTokens(turns: readonly Turn[], tools: readonly CallableFunction[]): number {
  const said = turns.map(({ text, images }) => perTurn + countTokens(text) + images * perImage);
  const offered = tools.map((tool) => countTokens(JSON.stringify(tool)));
  return [...said, ...offered].reduce((sum, n) => sum + n, 0);
}
