import XMLBuilder from 'fast-xml-builder';
import { groupBy } from '../../schemas/maps.ts';
import { acceptanceLabel } from '../accepted-groups.ts';
import { type BrokenItem, groupFailures, itemLine } from '../failure/broken-items.ts';
import { type FailureContext, failureText, plainFailure } from '../failure/failure.ts';
import { printableReport } from '../printable-report.ts';
import type { Report, ReportedRequirement } from '../report.ts';
import { acceptTolerated, unexcusedRequirements } from '../selection.ts';
import { undecidedThatDecide } from '../undecided.ts';
import { ownerOf } from '../words/defect.ts';
import { gateMessage, secondsOf, testedRequirements } from './test-results.ts';

/** XMLBuilder's input: `@name` is an attribute, `#text` the text, any other key child elements. */
type Element = { readonly [name: string]: string | number | Element | readonly Element[] };

/** Characters that XML 1.0 cannot represent, even escaped (2.2): controls, lone surrogates, U+FFFE, U+FFFF. */
const NOT_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

// The builder escapes; these processors replace characters that cannot be escaped.
const builder = new XMLBuilder({
  attributeNamePrefix: '@',
  ignoreAttributes: false,
  format: true,
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
  attributeValueProcessor: (_, value) => xmlText(value),
  tagValueProcessor: (_, value) => xmlText(value),
});

/**
 * JUnit XML for GitLab, Jenkins and GitHub reporters: one suite per family, one case per requirement or broken pin.
 * `fail` is a failure; `error` is an error, as is an undecided MUST if such MUSTs decide the exit code; `warn` passes
 * with the warning on system-out; accepted failures and all other verdicts except `pass` are skipped with the reason.
 * Invalid requests that one operation accepts are one failure. If the exit code is not 0 but no case has a failure or
 * error, the case `verdict` says why, so that no dashboard is green. Suite times are sums of case times, and may
 * exceed the duration of the run.
 */
export function junitXml(rawReport: Report, context: FailureContext): string {
  const report = acceptTolerated(printableReport(rawReport));
  const judged = testedRequirements(report);
  const times = secondsOf(report, judged);
  const exceptional = {
    undecidedErrors: new Set(undecidedThatDecide(report).map(({ id }) => id)),
    lenientItems: findLenientItems(report),
  };
  const cases = judged.map((requirement) => {
    const { id, family } = requirement;
    const seconds = times.get(id) ?? 0;
    const result = resultOf(requirement, context, exceptional);
    const facts = { '@name': id, '@classname': `assay.${family}`, '@time': seconds.toFixed(6) };
    const output = { 'system-out': outputOf(requirement, context) };
    return { family, seconds, result, element: { ...facts, ...result, ...output } };
  });
  const families = [...groupBy(cases, ({ family }) => family)].map(([family, members]) => {
    const seconds = members.reduce((sum, one) => sum + one.seconds, 0);
    const testcase = members.map(({ element }) => element);
    return { '@name': family, ...totals(members), '@time': seconds.toFixed(3), testcase };
  });
  // The schema allows no count of skipped cases at the root.
  const { '@skipped': _, ...counts } = totals(cases);
  const gate = counts['@failures'] + counts['@errors'] === 0 ? gateSuite(report) : [];
  counts['@tests'] += gate.length;
  counts['@errors'] += gate.length;
  const testsuites = {
    '@name': 'assay',
    ...counts,
    '@time': families.reduce((sum, suite) => sum + Number(suite['@time']), 0).toFixed(3),
    testsuite: [...gate, ...families],
  };
  return builder.build({ '?xml': { '@version': '1.0', '@encoding': 'UTF-8' }, testsuites });
}

function totals(cases: readonly { readonly result: Element }[]) {
  const count = (name: string) => cases.filter(({ result }) => name in result).length;
  return {
    '@tests': cases.length,
    '@failures': count('failure'),
    '@errors': count('error'),
    '@skipped': count('skipped'),
  };
}

function xmlText(value: unknown): string {
  return String(value).replace(NOT_XML, '\ufffd');
}

function gateSuite(report: Report): readonly Element[] {
  const message = gateMessage(report);
  if (message === null) return [];
  const name = { '@name': 'verdict', '@classname': 'assay', '@time': '0.000' };
  const error = { '@message': message, '@type': report.summary.verdict };
  const counts = { '@tests': 1, '@failures': 0, '@errors': 1, '@skipped': 0 };
  return [{ '@name': 'assay', ...counts, '@time': '0.000', testcase: { ...name, error } }];
}

interface Exceptional {
  readonly undecidedErrors: ReadonlySet<string>;
  readonly lenientItems: ReadonlyMap<string, BrokenItem>;
}

function findLenientItems(report: Report): Exceptional['lenientItems'] {
  const items = groupFailures(unexcusedRequirements(report, 'fail'));
  return new Map(
    items
      .filter(({ shape }) => shape === 'accepts-invalid')
      .flatMap((item) => [item.first, ...item.alike].map(({ id }) => [id, item] as const)),
  );
}

/** The warning, if any, and facts about a requirement, as output: the Jenkins schema has no properties per case. */
function outputOf(requirement: ReportedRequirement, context: FailureContext): string {
  const { level, basis, kind, spec, operations, verdict, baseline } = requirement;
  const isWarning = verdict === 'warn' && baseline === null;
  const warning = isWarning ? `WARN  ${plainFailure(failureText(requirement, context))}\n\n` : '';
  return `${warning}level: ${level}\nbasis: ${basis}\nkind: ${kind}\nsection: ${spec}\noperations: ${operations.join(' ')}`;
}

function resultOf(
  requirement: ReportedRequirement,
  context: FailureContext,
  { undecidedErrors, lenientItems }: Exceptional,
): Element {
  const { id, verdict, says, reason, level, baseline } = requirement;
  const item = lenientItems.get(id);
  if (baseline !== null) return { skipped: { '@message': `${acceptanceLabel(requirement)}: ${baseline}` } };
  switch (verdict) {
    case 'pass':
    case 'warn':
      return {};
    case 'fail':
      if (item !== undefined && item.first.id !== id)
        return { skipped: { '@message': `${itemLine(item)}: see ${item.first.id}` } };
      return {
        failure: {
          '@message': item === undefined ? says : itemLine(item),
          '@type': level,
          '#text': plainFailure(failureText(requirement, context)),
        },
      };
    case 'error':
      return { error: { '@message': reason ?? `a defect of ${ownerOf(id)}`, '@type': 'defect' } };
    case 'untested':
    case 'inconclusive':
    case 'excused': {
      const words = `${verdict}: ${reason ?? 'no reason given'}`;
      if (undecidedErrors.has(id)) return { error: { '@message': words, '@type': verdict } };
      return { skipped: { '@message': words } };
    }
    default:
      return verdict satisfies never;
  }
}
