// SARIF 2.1.0 (OASIS) for code scanning: violations, located at `operationId` in the OpenAPI document. SARIF lists
// problems, so only broken requirements and pins are listed.
import { isBroken } from '../../judge/verdict/failure-count.ts';
import type { Finding } from '../../judge/verdict/verdict.ts';
import { distinctFindings, type FailureContext } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { acceptTolerated } from '../selection.ts';
import { OPENAPI, operationLine } from './operation-line.ts';
import { problemMessage } from './problems.ts';
import { testedRequirements } from './test-results.ts';

const MAX_ACTUAL_LENGTH = 200;

/** One rule per broken requirement or pin, one result per defect. SHOULDs are warnings, known failures suppressed. */
export function sarifReport(rawReport: Report, context: FailureContext): string {
  const report = acceptTolerated(printableReport(rawReport));
  const broken = testedRequirements(report).filter(isBroken);
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
    // URIs stay relative, because the package is installed in different places.
    originalUriBaseIds: { ASSAY: { description: { text: 'The folder of the package assay.' } } },
    columnKind: 'utf16CodeUnits',
    results: broken.flatMap((requirement, index) => resultsOf(requirement, index, report, context)),
    properties: { target: report.target.baseUrl, claims: report.claims },
  };
  const $schema = 'https://json.schemastore.org/sarif-2.1.0.json';
  return `${JSON.stringify({ $schema, version: '2.1.0', runs: [run] }, null, 1)}\n`;
}

function ruleOf({ id, says, level, basis, spec, family }: ReportedRequirement) {
  const explained = basis === 'pinned' ? 'the alternatives' : 'a passing and a failing exchange';
  return {
    id,
    shortDescription: { text: says },
    help: { text: `Section ${spec}. npx assay explain '${id}' shows ${explained}.` },
    defaultConfiguration: { level: level === 'MUST' ? 'error' : 'warning' },
    properties: { level, basis, family, tags: [family] },
  };
}

function resultsOf(requirement: ReportedRequirement, index: number, report: Report, context: FailureContext) {
  const { id, verdict, says, baseline } = requirement;
  const distinct = distinctFindings(requirement, context);
  const findings: readonly (Finding | null)[] = distinct.length === 0 ? [null] : distinct;
  return findings.map((finding) => ({
    ruleId: id,
    ruleIndex: index,
    level: verdict === 'fail' ? 'error' : 'warning',
    message: { text: problemMessage(says, finding, MAX_ACTUAL_LENGTH) },
    locations: [locationOf(requirement, report)],
    // The same signature as in baselines, so that viewers recognise the defect in the next run.
    ...(finding !== null && { partialFingerprints: { 'assaySignature/v1': `${id} ${finding.signature}` } }),
    ...(baseline !== null && { suppressions: [{ kind: 'external', justification: baseline }] }),
  }));
}

function locationOf({ operations: ids }: ReportedRequirement, { operations }: Report) {
  const operation = operations.find(({ id }) => ids.includes(id));
  const artifactLocation = { uri: OPENAPI, uriBaseId: 'ASSAY' };
  const region = { startLine: operationLine(operation?.id) };
  const physicalLocation = { artifactLocation, region };
  if (operation === undefined) return { physicalLocation };
  const { id: name, method, path } = operation;
  const logicalLocations = [{ name, fullyQualifiedName: `${method} ${path}`, kind: 'resource' }];
  return { physicalLocation, logicalLocations };
}
