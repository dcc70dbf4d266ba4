import { PNG } from 'pngjs';
import { expect, test } from 'vitest';
import type { Json } from '../../exchange/http/body.ts';
import { judgeRequirement } from '../../judge/testing/judge-requirement.ts';
import { TraceBuilder } from '../../judge/testing/trace-builder.ts';
import { requirementFromRow } from '../testing/row.ts';
import { imagesAnswerCount } from './answers.requirements.ts';

const square = PNG.sync.write(new PNG({ width: 256, height: 256 })).toString('base64');

function countViolations(fields: Readonly<Record<string, Json>>): readonly number[] {
  const trace = new TraceBuilder();
  const body = { prompt: 'a', response_format: 'b64_json', ...fields };
  trace.add('createImage', { body }, { json: { created: 1, data: [{ b64_json: square }] } });
  return [
    judgeRequirement(imagesAnswerCount, trace.exchanges),
    judgeRequirement(requirementFromRow('images.answer.size-as-asked'), trace.exchanges),
  ].map((result) => result.violations.length);
}

test.each([
  [{ size: '256x256' }, [0, 0]],
  [{ size: '256x256', n: null }, [0, 0]],
  [{ size: '256x256', n: 2 }, [1, 0]],
  [{ size: '512x512', n: 1 }, [0, 1]],
  [{}, [0, 1]],
  // The response to an invalid value is left open here; its rejection is judged separately.
  [{ size: 'auto', n: 1 }, [0, 0]],
  [{ size: '256x256', n: 11 }, [0, 0]],
  [{ size: '256x256', n: '' }, [0, 0]],
  [{ size: '256x256', n: '2' }, [0, 0]],
  [{ size: '256x256', n: [2] }, [0, 0]],
])(
  'one image of 256x256 in response to %j: violations of the requested number and size are %j',
  (fields, expected) => {
    expect(countViolations(fields)).toEqual(expected);
  },
);
