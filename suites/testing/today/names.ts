// Cases of the errata for categories of moderation and purposes of files that came or went over the years.
import type { JsonObject } from '../../../schemas/json.ts';
import type { Sketch } from '../service-traffic.ts';
import type { ErratumCase } from './case.ts';
import { file, IN_2023, list, NOW } from './objects.ts';

const retrieveFile = (answer: JsonObject): readonly Sketch[] => [{ call: 'GET /v1/files/file-a', answer }];
const listFiles = (purpose: string, created_at: number): readonly Sketch[] => [
  { call: 'GET /v1/files', answer: list(file({ purpose, created_at })) },
];
const upload = (purpose: string, created_at: number): readonly Sketch[] => [
  {
    call: 'POST /v1/files',
    form: [
      ['purpose', purpose],
      ['file', '{}', 'a.jsonl'],
    ],
    answer: file({ purpose, created_at, filename: 'a.jsonl', bytes: 2 }),
  },
];
const FIRST_CATEGORIES = [
  'sexual',
  'hate',
  'violence',
  'self-harm',
  'sexual/minors',
  'hate/threatening',
  'violence/graphic',
];
const LATER_CATEGORIES = [
  'harassment',
  'harassment/threatening',
  'self-harm/intent',
  'self-harm/instructions',
];
const moderate = (model: string, categories: readonly string[]): readonly Sketch[] => {
  const valueByCategory = (value: boolean | number) =>
    Object.fromEntries(categories.map((name) => [name, value]));
  const results = [
    { flagged: false, categories: valueByCategory(false), category_scores: valueByCategory(0.01) },
  ];
  return [
    { call: 'POST /v1/moderations', sent: { input: 'a' }, answer: { id: `modr-${model}`, model, results } },
  ];
};

export const NAMES: readonly ErratumCase[] = [
  {
    erratum: 'older-moderation-categories',
    excused: moderate('text-moderation-004', FIRST_CATEGORIES),
    beyond: [
      // A name without a version means the newest model, which has more categories.
      {
        traffic: moderate('text-moderation-latest', FIRST_CATEGORIES),
        breaks: 'moderation:results[].categories.harassment#required',
      },
      {
        traffic: moderate('omni-moderation-latest', []),
        breaks: 'moderation:results[].categories.sexual#required',
      },
      {
        traffic: moderate('omni-moderation-latest', FIRST_CATEGORIES),
        breaks: 'moderation:results[].category_scores.harassment#required',
      },
      {
        traffic: moderate('text-moderation-007', FIRST_CATEGORIES),
        breaks: 'moderation:results[].categories.self-harm/intent#required',
      },
      {
        traffic: moderate('text-moderation-004', []),
        breaks: 'moderation:results[].category_scores.sexual#required',
      },
      {
        traffic: moderate('text-moderation-004', [...FIRST_CATEGORIES.slice(1), ...LATER_CATEGORIES]),
        breaks: 'moderation:results[].categories.sexual#required',
      },
    ],
  },
  {
    erratum: 'purposes-of-today',
    excused: [...retrieveFile(file({ purpose: 'user_data' })), ...listFiles('evals', NOW)],
    beyond: [{ traffic: retrieveFile(file({ purpose: 'userdata' })), breaks: 'file:purpose#enum' }],
  },
  {
    erratum: 'purposes-of-old',
    excused: [
      ...['answers', 'classifications', 'search'].flatMap((purpose) => listFiles(purpose, IN_2023)),
      ...upload('search', IN_2023),
    ],
    beyond: [
      { traffic: listFiles('question', IN_2023), breaks: 'file:purpose#enum' },
      { traffic: listFiles('search', NOW), breaks: 'file:purpose#enum' },
      { traffic: upload('search', NOW), breaks: 'file:purpose#enum' },
    ],
  },
];
