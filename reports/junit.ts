import XMLBuilder from 'fast-xml-builder';
import { printable } from './excerpt.ts';
import { type Evidence, failureBlocks, failureText } from './failure.ts';
import { paint } from './paint.ts';
import { countVerdicts, inScope, type Report, type ReportedRequirement } from './report.ts';

const builder = new XMLBuilder({
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  format: true,
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
});

/** An element: its attributes are named `@…`, its text `#text`, all else are its children. */
type Element = { readonly [name: string]: string | number | Element | readonly Element[] };

/** What XML cannot hold, however it is written. */
const IMPOSSIBLE = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

/**
 * JUnit XML as GitLab, Jenkins and GitHub reporters read it: a suite per family, a case per requirement.
 * fail → failure, error → error; untested and inconclusive → skipped with the reason; warn → passed, told on
 * system-out; excused, and a failure that the baseline lists → skipped. Requirements of families that were not claimed are left out.
 */
export function junit(report: Report, evidence: Evidence): string {
  const claimed = inScope(report.requirements);
  const testsuite = [...new Set(claimed.map((one) => one.family))].map((family): Element => {
    const own = claimed.filter((one) => one.family === family);
    const testcase = own.map((requirement) => caseOf(requirement, evidence));
    return { '@name': family, ...totals(own), '@time': '0', testcase };
  });
  const document = {
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: { '@name': 'assay', ...totals(claimed), '@time': time(report), testsuite },
  };
  return builder.build(document).replace(IMPOSSIBLE, '\ufffd');
}

function totals(requirements: readonly ReportedRequirement[]): Element {
  const known = requirements.filter(({ baseline }) => baseline !== null).length;
  const counts = countVerdicts(requirements.filter(({ baseline }) => baseline === null));
  return {
    '@tests': requirements.length,
    '@failures': counts.fail,
    '@errors': counts.error,
    '@skipped': known + counts.untested + counts.inconclusive + counts.excused,
  };
}

function time(report: Report): string {
  return (report.cost.seconds ?? 0).toFixed(3);
}

function caseOf(requirement: ReportedRequirement, evidence: Evidence): Element {
  const { id, family, level, basis, kind, spec, operations } = requirement;
  const facts = { level, basis, kind, spec, operations: operations.join(' ') };
  const property = Object.entries(facts).map(([name, value]) => ({ '@name': name, '@value': value }));
  return {
    '@name': id,
    '@classname': `assay.${family}`,
    '@time': '0',
    properties: { property },
    ...outcome(requirement, evidence),
  };
}

function outcome(requirement: ReportedRequirement, evidence: Evidence): Element {
  const { verdict, says, reason, level, baseline } = requirement;
  if (baseline !== null) return { skipped: { '@message': printable(`known failure: ${baseline}`) } };
  switch (verdict) {
    case 'pass':
      return {};
    case 'fail':
      return { failure: { '@message': says, '@type': level, '#text': words(requirement, evidence) } };
    case 'warn':
      return { 'system-out': `WARN  ${words(requirement, evidence)}` };
    case 'error':
      return { error: { '@message': printable(reason ?? 'a defect of assay'), '@type': 'defect' } };
    case 'untested':
    case 'inconclusive':
    case 'excused':
      return { skipped: { '@message': printable(`${verdict}: ${reason ?? 'no reason given'}`) } };
    default:
      return verdict satisfies never;
  }
}

/** The failure as in the terminal, without colours. */
function words(requirement: ReportedRequirement, evidence: Evidence): string {
  return failureBlocks(failureText(requirement, evidence), paint('off'))
    .map((block) => block.join('\n'))
    .join('\n\n');
}
