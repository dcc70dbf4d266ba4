// SARIF 2.1.0 (OASIS), for code scanning: what the service does wrong, at the operation in the OpenAPI file.
// A service has no source files here, so a result lies at the line of `operationId`, beside the operation as a logical location.
// Requirements that pass, and those that nothing shows, are in report.json alone: SARIF lists problems.
import type { Finding } from '../../judge/verdict/verdict.ts';
import { briefJson } from '../../schemas/excerpt.ts';
import { distinctFindings, type FailureContext } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import { type Report, type ReportedRequirement, requirementsInScope } from '../report.ts';
import { OPENAPI, operationLine } from './openapi-lines.ts';

/** Characters of an actual value that a message shows. */
const SHOWN = 200;

/** The report as SARIF: a rule for each broken requirement, a result for each of its defects. Warnings are warnings; known failures are suppressed. */
export function sarifReport(given: Report, context: FailureContext): string {
  const report = printableReport(given);
  const broken = requirementsInScope(report.requirements).filter(
    ({ verdict }) => verdict === 'fail' || verdict === 'warn',
  );
  const { exitCode, verdict, reasons } = report.summary;
  const run = {
    tool: { driver: { name: report.tool.name, version: report.tool.version, rules: broken.map(ruleOf) } },
    invocations: [
      {
        executionSuccessful: verdict !== 'cannot-tell',
        exitCode,
        exitCodeDescription: reasons.join('; ') || verdict,
      },
    ],
    // Relative: where the package lies differs from one machine to the next.
    originalUriBaseIds: { ASSAY: { description: { text: 'The folder of the package assay.' } } },
    columnKind: 'utf16CodeUnits',
    results: broken.flatMap((one, index) => resultsOf(one, { index, report, context })),
    properties: { target: report.target.baseUrl, claims: report.claims },
  };
  const document = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [run],
  };
  return `${JSON.stringify(document, null, 1)}\n`;
}

/** A broken requirement as a rule. Its level is that of the specification, its tag the family. */
function ruleOf({ id, says, level, basis, spec, family }: ReportedRequirement) {
  return {
    id,
    shortDescription: { text: says },
    help: { text: `Section ${spec}. npx assay explain '${id}' shows a passing and a failing exchange.` },
    defaultConfiguration: { level: level === 'MUST' ? 'error' : 'warning' },
    properties: { level, basis, family, tags: [family] },
  };
}

/** What a result refers to beside its requirement. */
interface ResultContext {
  /** Place of the rule. */
  readonly index: number;
  readonly report: Report;
  readonly context: FailureContext;
}

/** One result for each signature: what fails in many exchanges is one defect. A failure without findings is one result, too. */
function resultsOf(requirement: ReportedRequirement, { index, report, context }: ResultContext) {
  const { id, verdict, says, baseline } = requirement;
  // The finding that all other formats show.
  const distinct = distinctFindings(requirement, context);
  const shown: readonly (Finding | null)[] = distinct.length === 0 ? [null] : distinct;
  return shown.map((finding) => ({
    ruleId: id,
    ruleIndex: index,
    level: verdict === 'fail' ? 'error' : 'warning',
    message: { text: finding === null ? says : messageOf(says, finding) },
    locations: [locationOf(requirement, report)],
    // The signature is that of baselines: a viewer recognises the same defect in the next run.
    ...(finding !== null && { partialFingerprints: { 'assaySignature/v1': `${id} ${finding.signature}` } }),
    ...(baseline !== null && { suppressions: [{ kind: 'external', justification: baseline }] }),
  }));
}

/** The sentence, and where the answer differs from it. The actual value comes from the target: it is cut and escaped. */
function messageOf(says: string, { at, expected, actual, exchange }: Finding): string {
  return `${says} At ${at || 'the whole body'}: expected ${expected}, actual ${briefJson(actual, SHOWN)} (${exchange}).`;
}

/** The line of the first operation in the OpenAPI file, and the operation as the service has it. */
function locationOf({ operations: ids }: ReportedRequirement, { operations }: Report) {
  const called = operations.find(({ id }) => ids.includes(id));
  const logical =
    called === undefined
      ? {}
      : {
          logicalLocations: [
            { name: called.id, fullyQualifiedName: `${called.method} ${called.path}`, kind: 'resource' },
          ],
        };
  const artifactLocation = { uri: OPENAPI, uriBaseId: 'ASSAY' };
  const region = { startLine: operationLine(called?.id) };
  return { physicalLocation: { artifactLocation, region }, ...logical };
}
