import type { FormDataPart } from '../../exchange/http/body.ts';
import { decodedContent } from '../../exchange/http/content.ts';
import { uploadedPart } from '../files/file.ts';
import { arrayAt, numberAt, textAt, valueAtPath } from '../vocabulary/json.ts';
import { stateless } from '../vocabulary/selectors.ts';
import type { Call, Evidence, Json, Selector } from '../vocabulary/types.ts';
import { type Cue, type Flaw, readSrt, readVtt } from './captions.ts';
import { readAudio } from './container.ts';

export const TRANSCRIPTION = 'createTranscription';
export const TRANSLATION = 'createTranslation';

export interface TranscriptionResult extends Evidence {
  readonly call: Call;
  readonly asked: Json | undefined;
  /** The requested format; default: `json`. */
  readonly format: string;
  /** The uploaded file; null if the form has none, or its content was not recorded. */
  readonly file: FormDataPart | null;
  readonly responseText: string;
  readonly answer: Json | undefined;
  /** Captions of a response as srt or vtt, and the lines that violate the format. */
  readonly cues: () => readonly (Cue & { readonly at: string })[];
  readonly flaws: () => readonly (Flaw & { readonly at: string })[];
  readonly granularities: () => readonly Json[] | undefined;
  /** The list that a request for only one leaves out: segments if it asks for words, otherwise words. */
  readonly unrequestedList: () => Json | undefined;
  /** The words and segments that have a start and an end, each with its JSON pointer. */
  readonly times: () => readonly { readonly at: string; readonly start: number; readonly end: number }[];
  /** The reported duration; undefined unless it is a number or a numeric string. */
  readonly duration: () => number | undefined;
  /** The duration in seconds of the uploaded audio; undefined without a file, or if its bytes do not show it. */
  readonly length: () => number | undefined;
}

export function allTranscriptions(operation: string): Selector<TranscriptionResult> {
  return stateless<TranscriptionResult>(
    'transcriptions',
    operation,
    { needs: `a complete 2xx response of ${operation} with text` },
    (call) => {
      const { response } = call.exchange;
      if (call.responseClass !== 'accepted' || response === null || !call.complete) return [];
      const responseText = decodedContent(response)?.text ?? null;
      if (responseText === null) return [];
      const { requestJson: asked, responseJson: answer, exchange } = call;
      const file = uploadedPart(exchange);
      const format = textAt(asked, 'response_format') ?? 'json';
      const captions = () => (format === 'srt' ? readSrt(responseText) : readVtt(responseText));
      const common = { exchanges: [exchange], call, asked, format, file, responseText, answer };
      return [
        {
          ...common,
          cues: () => captions().cues.map((cue) => ({ ...cue, at: `line ${cue.line}` })),
          flaws: () => captions().flaws.map((flaw) => ({ ...flaw, at: `line ${flaw.line}` })),
          granularities: () => granularitiesOf(asked),
          unrequestedList: () =>
            valueAtPath(answer, granularitiesOf(asked)?.includes('word') ? 'segments' : 'words'),
          times: () => timesOf(answer),
          duration: () => durationOf(answer),
          length: () => readAudio(file?.body.bytes ?? new Uint8Array())?.seconds ?? undefined,
        },
      ];
    },
  );
}

function granularitiesOf(asked: Json | undefined): readonly Json[] | undefined {
  const value = valueAtPath(asked, 'timestamp_granularities[]') ?? undefined;
  return value === undefined || Array.isArray(value) ? value : [value];
}

function timesOf(answer: Json | undefined): { at: string; start: number; end: number }[] {
  return ['words', 'segments'].flatMap((field) =>
    arrayAt(answer, field).flatMap((entry, i) => {
      const [start, end] = [numberAt(entry, 'start'), numberAt(entry, 'end')];
      return start === undefined || end === undefined ? [] : [{ at: `/${field}/${i}`, start, end }];
    }),
  );
}

function durationOf(answer: Json | undefined): number | undefined {
  const reported = valueAtPath(answer, 'duration');
  const value = typeof reported === 'string' && reported.trim() !== '' ? Number(reported) : reported;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
