import type { Json } from '../../exchange/body.ts';
import { decoded } from '../../exchange/content.ts';
import type { Exchange } from '../../exchange/exchange.ts';
import { form, type Part } from '../../exchange/form.ts';
import type { Call } from '../../judge/call.ts';
import { everywhere } from '../../judge/edit/breaks.ts';
import { withBody } from '../../judge/edit/exchanges.ts';
import { get, text } from '../../judge/json.ts';
import type { Break, Evidence, Selector } from '../../judge/requirement.ts';
import { only, stateless } from '../../judge/selectors/answers.ts';
import { readSrt, readVtt } from './captions.ts';

export const TRANSCRIPTION = 'createTranscription';
export const TRANSLATION = 'createTranslation';

/** A whole answer 2xx to a request that sends audio. */
export interface Heard extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** `json` unless another is asked for. */
  readonly format: string;
  /** Null where the form cannot be read. */
  readonly file: Part | null;
  /** The answer as text. */
  readonly written: string;
  readonly answer: Json | undefined;
}

/** Answers of transcriptions, or of translations, in one of these formats. */
export function heard(formats: readonly string[], operation: string = TRANSCRIPTION): Selector<Heard> {
  return only(allHeard(operation), ({ format }) => formats.includes(format));
}

export function allHeard(operation: string): Selector<Heard> {
  return stateless<Heard>('heard', operation, {}, (call) => {
    const { response } = call.exchange;
    if (call.outcome !== 'accepted' || response === null || !call.complete) return [];
    const written = decoded(response)?.text ?? null;
    if (written === null) return [];
    const { asked, answer, exchange } = call;
    const file = fileOf(exchange);
    return [{ exchanges: [exchange], call, asked, format: formatOf(asked), file, written, answer }];
  });
}

/** `word`, `segment`; null where the request names none. */
export function granularities(asked: Json | undefined): readonly Json[] | null {
  const given = get(asked, 'timestamp_granularities[]') ?? null;
  if (given === null) return null;
  return Array.isArray(given) ? given : [given];
}

/** The words of an answer, parted by single spaces; null where it cannot be read in its format. */
export function wordsOf({
  format,
  written,
  answer,
}: Pick<Heard, 'format' | 'written' | 'answer'>): string | null {
  const said = saidIn(format, written, answer);
  return said?.split(/\s+/).filter(Boolean).join(' ') ?? null;
}

function saidIn(format: string, written: string, answer: Json | undefined): string | null {
  switch (format) {
    case 'text':
      return written;
    case 'srt':
      return joined(readSrt(written).cues);
    case 'vtt':
      return unmarked(joined(readVtt(written).cues));
    default:
      return text(answer, 'text') ?? null;
  }
}

/** Rewrites the answers of transcriptions in one format. */
export function inFormat(format: string, edit: (written: string) => string): Break {
  return everywhere(TRANSCRIPTION, (exchange) => {
    const written = exchange.response === null ? null : (decoded(exchange.response)?.text ?? null);
    const isMeant = written !== null && formatOfExchange(exchange) === format;
    return isMeant ? withBody(exchange, edit(written)) : exchange;
  });
}

export function fileOf({ request }: Exchange): Part | null {
  return form(request)?.find(({ name, filename }) => name === 'file' && filename !== null) ?? null;
}

function formatOf(asked: Json | undefined): string {
  return text(asked, 'response_format') ?? 'json';
}

function formatOfExchange({ request }: Exchange): string {
  return form(request)?.find(({ name }) => name === 'response_format')?.body.text ?? 'json';
}

/** The text of WebVTT cues, whose tags say how it looks, and in which some letters are escaped. */
function unmarked(cues: string): string {
  return cues
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(amp|lt|gt|nbsp|lrm|rlm);/g, (_, name: string) => ESCAPED[name] ?? '');
}

const ESCAPED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', nbsp: ' ' };

function joined(cues: readonly { readonly text: string }[]): string {
  return cues.map((cue) => cue.text).join(' ');
}
