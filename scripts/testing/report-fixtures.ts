// The fixtures of the report tests, made by the judge: the traces of three imaginary targets are judged by all
// requirements of the suites, and some rows of each judgement are kept, so that a test can be read next to its
// fixture.
import type { Exchange, HeaderPairs, Piece } from '../../exchange/exchange.ts';
import { isNote, type TraceHeader, type TraceItem } from '../../exchange/trace.ts';
import { judgeTrace } from '../../explain/judge.ts';
import { behaviourRequirements } from '../../judge/evidence/behaviour-requirements.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { testTraceHeader } from '../../judge/testing/trace-builder.ts';
import { evaluateGate } from '../../judge/verdict/gate.ts';
import type { Judgement, RequirementVerdict } from '../../judge/verdict/verdict.ts';
import type { ReportInput } from '../../reports/make-report.ts';
import type { MutationScore } from '../../reports/report.ts';
import { catalogue } from '../../suites/index.ts';
import { requirementFromRow } from '../../suites/testing/row.ts';
import { brokenTrace, greenTrace } from './report-fixture-traces.ts';

/** An exchange as fixtures store it: bodies as text, so that diffs are readable. */
interface StoredExchange {
  readonly id: string;
  readonly request: { method: string; target: string; headers: HeaderPairs; body: string };
  readonly response: { status: number; headers: HeaderPairs; body: string; pieces: readonly Piece[] } | null;
  readonly end: Exchange['end'];
}

/** The data that `reports/testing/sample.ts` reads: the input of a report, and the exchanges that it cites. */
export type ReportFixture = ReportInput & { readonly exchanges: readonly StoredExchange[] };

interface Rows {
  /** Ids, in the order in which reports list them. */
  readonly requirements: readonly string[];
  /** Ids of choices; each is kept whether the trace shows it or not. */
  readonly choices: readonly string[];
  /** Ids of exclusions, which have no verdict but can be listed in every report. */
  readonly exclusions: readonly string[];
  readonly operations: readonly string[];
}

const MODELS: Rows = {
  requirements: ['model:id#type'],
  choices: ['models.list.order'],
  exclusions: ['models.list.available'],
  operations: ['listModels', 'retrieveModel'],
};

/** Rows of the fixture `broken`, in the order of a report: each verdict occurs but `excused`. */
const BROKEN: Rows = {
  requirements: [
    'chat.stream.finish-reason-ends-choice',
    'file:bytes#type',
    'listModels:answer#json',
    'createChatCompletion:accepts',
    'listModels:answer#contentType',
    'model:id#type',
    'createChatCompletion:body.temperature#maximum.rejected',
    'createChatCompletion:body.messages[].content(array)[image_url].image_url#type.accepted',
    'files.content.as-sent',
    'files.delete.gone-from-retrieve',
    'images.answer.count',
    'chat.stream.done-ends-stream',
  ],
  choices: ['files.list.order', 'chat.model.echo'],
  exclusions: ['files.limits.organization'],
  operations: [
    'listModels',
    'retrieveModel',
    'deleteModel',
    'retrieveFile',
    'createChatCompletion',
    'createImage',
  ],
};

/** The score of a proof with a surviving mutant; the committed proof has none. */
const SCORE: MutationScore = {
  mutants: 1200,
  killed: 1199,
  survived: 1,
  benign: 900,
  accused: 0,
  requirements: 11,
};

export async function createReportFixtures(): Promise<
  Readonly<Record<'broken' | 'green' | 'nothing', ReportFixture>>
> {
  const rules = await catalogue();
  const { exclusions } = rules;
  const headerClaiming = (families: readonly string[]): TraceHeader =>
    testTraceHeader({
      tool: { name: 'assay', version: '0.1.0' },
      target: { baseUrl: 'http://127.0.0.1:4010/v1', name: '127.0.0.1:4010' },
      claims: { families, how: 'given' },
      models: { chat: 'tiny' },
      key: true,
    });
  const allHeader = headerClaiming(['models', 'files', 'chat']);
  const broken = brokenTrace();
  const judged = judgeTrace(rules, allHeader, broken);
  const defects = judgeTrace(createThrowingCatalogue(rules), allHeader, broken).requirements;
  // The requirement that throws replaces the row of the same id.
  const withDefect = {
    ...judged,
    requirements: judged.requirements.map((row) => defects.find(({ id }) => id === row.id) ?? row),
  };
  const modelsHeader = headerClaiming(['models']);
  const green = judgeTrace(rules, modelsHeader, greenTrace());
  const silent = judgeTrace(rules, modelsHeader, []);
  return {
    broken: {
      ...createFixture(withDefect, { header: allHeader, items: broken, rows: BROKEN, exclusions }),
      proof: SCORE,
    },
    green: createFixture(green, { header: modelsHeader, items: [], rows: MODELS, exclusions }),
    nothing: createFixture(silent, { header: modelsHeader, items: [], rows: MODELS, exclusions }),
  };
}

/** A catalogue of one requirement whose check throws: a defect of assay, which no trace can cause. */
function createThrowingCatalogue(rules: Catalogue): Catalogue {
  const check = (): never => {
    throw new TypeError('x is not a function');
  };
  const { expectedEvidence: _, ...others } = rules;
  const row = requirementFromRow('chat.stream.done-ends-stream');
  return { ...others, requirementSets: [behaviourRequirements([{ ...row, check }])] };
}

function createFixture(
  judgement: Judgement,
  {
    header,
    items,
    rows,
    exclusions,
  }: { header: TraceHeader; items: readonly TraceItem[]; rows: Rows; exclusions: Catalogue['exclusions'] },
): ReportFixture {
  const reducedJudgement = selectRows(judgement, rows);
  const citedIds = new Set(reducedJudgement.requirements.flatMap(listCitedExchanges));
  const exchanges = items.flatMap((item) => (isNote(item) || !citedIds.has(item.id) ? [] : [item]));
  // Reports must also do without duration, date and cassette.
  const hasTraffic = judgement.operations.some(({ exercised }) => exercised > 0);
  return {
    header,
    judgement: reducedJudgement,
    gate: evaluateGate(reducedJudgement, { failOn: 'must', allowInconclusive: false, traffic: 'run' }),
    exclusions: exclusions.filter(({ id }) => rows.exclusions.includes(id)),
    seconds: hasTraffic ? 4.25 : null,
    date: hasTraffic ? '2026-01-31T09:30:00Z' : null,
    cassette: hasTraffic ? 'cassette' : null,
    exchanges: exchanges.map(storeExchange),
  };
}

function selectRows(judgement: Judgement, rows: Rows): Judgement {
  const pick = <T extends { readonly id: string }>(all: readonly T[], ids: readonly string[]): readonly T[] =>
    ids.map((id) => {
      const row = all.find((one) => one.id === id);
      if (row === undefined) throw new Error(`The judgement has no row ${id}: name another in this file.`);
      return row;
    });
  const requirements = pick(judgement.requirements, rows.requirements);
  const blockedBy = (exchange: string): number =>
    requirements.filter(({ cause }) => cause?.kind === 'blocked' && cause.exchange === exchange).length;
  return {
    ...judgement,
    requirements,
    choices: pick(judgement.choices, rows.choices),
    operations: pick(judgement.operations, rows.operations),
    blockers: judgement.blockers.map((blocker) => ({
      ...blocker,
      requirements: blockedBy(blocker.exchange),
    })),
    // State machines that were not observed are dropped: they have a row for each state, and no test reads them.
    states: (judgement.states ?? []).filter(({ states }) => states.some(({ seen }) => seen > 0)),
  };
}

function listCitedExchanges({ findings, cause }: RequirementVerdict): readonly string[] {
  const causeExchanges = cause !== null && 'exchange' in cause ? [cause.exchange] : [];
  return [...findings.map(({ exchange }) => exchange), ...causeExchanges];
}

/** The exchange with its bodies as text, which is lossless because the traces contain only text. */
function storeExchange({ id, request, response, end }: Exchange): StoredExchange {
  const { method, target, headers } = request;
  return {
    id,
    request: { method, target, headers, body: request.body.text ?? '' },
    response:
      response === null
        ? null
        : {
            status: response.status,
            headers: response.headers,
            body: response.body.text ?? '',
            pieces: response.pieces,
          },
    end,
  };
}
