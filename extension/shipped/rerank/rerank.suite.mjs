// Behaviour of POST /v1/rerank that a schema cannot state.
import {
  arrayAt,
  numberAt,
  responses,
  scenario,
  section,
  setIn,
  textAt,
  valueAtPath,
  violation,
  where,
} from 'assay/suite';

const CREATE = 'rerank.createRerank';
const { stated, implied } = section('rerank Rank documents');

const ranked = where(
  responses(CREATE),
  ({ asked, answer }) => documentsOf(asked).length > 0 && Array.isArray(answer.results),
);
const documentsOf = (asked) => arrayAt(asked, 'documents');
const resultsOf = (answer) => arrayAt(answer, 'results');
/** Edits the list of results. */
const inResults = (change) => setIn(CREATE, '/results', change);

export const number = stated('rerank.create.number', {
  says: 'The answer has a result for each document, or as many as top_n asks for.',
  selector: where(ranked, ({ asked }) => (numberAt(asked, 'top_n') ?? 1) > 0),
  check: ({ asked, answer }) => {
    const all = documentsOf(asked).length;
    const wanted = Math.min(numberAt(asked, 'top_n') ?? all, all);
    const found = resultsOf(answer).length;
    return found === wanted ? [] : [violation('/results', `${wanted} results`, found)];
  },
  mutations: { 'the last is missing': inResults((results) => results.slice(0, -1)) },
});

export const places = stated('rerank.create.places', {
  says: 'The index of each result is the place of a document in the request, and none is named twice.',
  selector: ranked,
  check: ({ asked, answer }) => {
    const seen = new Set();
    return resultsOf(answer).flatMap((result, i) => {
      const index = numberAt(result, 'index');
      const isNew = !seen.has(index);
      seen.add(index);
      // The schema judges whether it is a number.
      if (index === undefined || (isNew && index < documentsOf(asked).length)) return [];
      return [violation(`/results/${i}/index`, 'the place of another document', index)];
    });
  },
  mutations: {
    'counted from one': setIn(CREATE, '/results/*/index', (index) => index + 1),
    'one twice': inResults((results) => results.map((one) => ({ ...one, index: results[0].index }))),
  },
});

export const ordered = implied('rerank.create.ordered', {
  says: 'The results are sorted by relevance, the highest first.',
  level: 'SHOULD',
  selector: ranked,
  check: ({ answer }) => {
    const scores = resultsOf(answer).map((result) => numberAt(result, 'relevance_score'));
    return scores.flatMap((score, i) =>
      i > 0 && score > scores[i - 1]
        ? [violation(`/results/${i}/relevance_score`, `at most ${scores[i - 1]}`, score)]
        : [],
    );
  },
  mutations: {
    'the other way round': inResults((results) =>
      results.map((one, i) => ({ ...one, relevance_score: i / results.length })),
    ),
  },
});

export const ownText = implied('rerank.create.own-text', {
  says: 'A result that repeats its document repeats the one at its index, and no other.',
  selector: where(ranked, ({ answer }) => resultsOf(answer).some((one) => textOf(one) !== undefined)),
  check: ({ asked, answer }) =>
    resultsOf(answer).flatMap((result, i) => {
      const text = textOf(result);
      const own = documentsOf(asked)[numberAt(result, 'index')];
      // A service may shorten the text that it repeats.
      if (text === own || !documentsOf(asked).includes(text)) return [];
      return [violation(`/results/${i}/document`, 'the document at its index', text)];
    }),
  mutations: {
    'the text of another': inResults((results) =>
      results.map((one, i) => ({ ...one, document: results[(i + 1) % results.length].document })),
    ),
  },
});

/** The text of a result. Services repeat a document as a text, or as an object with its text. */
function textOf(result) {
  const document = valueAtPath(result, 'document');
  return typeof document === 'string' ? document : textAt(result, 'document', 'text');
}

export const rank = scenario({
  name: 'rerank.rank',
  family: 'rerank',
  operations: [CREATE],
  cost: ['tokens'],
  roles: ['rerank.model'],
  run: async (context) => {
    const body = {
      model: context.model('rerank.model'),
      query: 'What is the capital of France?',
      documents: [
        'Horses and cows are animals.',
        'The capital of Brazil is Brasilia.',
        'The capital of France is Paris.',
      ],
    };
    await context.call(CREATE, { body });
    await context.call(CREATE, { body: { ...body, top_n: 2 } });
    await context.call(CREATE, { body: { ...body, top_n: 9 } });
    await context.call(CREATE, { body: { ...body, return_documents: true } });
  },
});
