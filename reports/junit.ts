import { create } from 'xmlbuilder2';
import type { RequirementVerdict } from '../judge/verdict.ts';
import { printable } from './excerpt.ts';
import { type Evidence, failureBlocks, failureText } from './failure.ts';
import { paint } from './paint.ts';
import { countVerdicts, inScope, type Report } from './report.ts';

type Element = ReturnType<ReturnType<typeof create>['ele']>;

/**
 * JUnit XML as GitLab, Jenkins and GitHub reporters read it: a suite per family, a case per requirement.
 * fail → failure, error → error; untested and inconclusive → skipped with the reason; warn → passed, told on
 * system-out; excused, and a failure that the baseline lists → skipped. Requirements of families that were not claimed are left out.
 */
export function junit(report: Report, evidence: Evidence): string {
  const claimed = inScope(report.requirements);
  const document = create({ version: '1.0', encoding: 'UTF-8', invalidCharReplacement: '\ufffd' });
  const root = document.ele('testsuites', { name: 'assay', ...totals(claimed), time: time(report) });
  for (const family of new Set(claimed.map((one) => one.family))) {
    const own = claimed.filter((one) => one.family === family);
    const suite = root.ele('testsuite', { name: family, ...totals(own), time: '0' });
    for (const requirement of own) testcase(suite, requirement, evidence);
  }
  return `${document.end({ prettyPrint: true })}\n`;
}

function totals(requirements: readonly RequirementVerdict[]): Record<string, number> {
  const known = requirements.filter(({ baseline }) => baseline !== null).length;
  const counts = countVerdicts(requirements.filter(({ baseline }) => baseline === null));
  return {
    tests: requirements.length,
    failures: counts.fail,
    errors: counts.error,
    skipped: known + counts.untested + counts.inconclusive + counts.excused,
  };
}

function time(report: Report): string {
  return (report.cost.seconds ?? 0).toFixed(3);
}

function testcase(suite: Element, requirement: RequirementVerdict, evidence: Evidence): void {
  const { id, family, level, basis, kind, spec, operations } = requirement;
  const element = suite.ele('testcase', { name: id, classname: `assay.${family}`, time: '0' });
  const properties = element.ele('properties');
  const facts = { level, basis, kind, spec, operations: operations.join(' ') };
  for (const [name, value] of Object.entries(facts)) properties.ele('property', { name, value });
  outcome(element, requirement, evidence);
}

function outcome(element: Element, requirement: RequirementVerdict, evidence: Evidence): void {
  const { verdict, says, reason, baseline } = requirement;
  if (baseline !== null) {
    element.ele('skipped', { message: printable(`known failure: ${baseline}`) });
    return;
  }
  switch (verdict) {
    case 'pass':
      return;
    case 'fail':
      element.ele('failure', { message: says, type: requirement.level }).txt(words(requirement, evidence));
      return;
    case 'warn':
      element.ele('system-out').txt(`WARN  ${words(requirement, evidence)}`);
      return;
    case 'error':
      element.ele('error', { message: printable(reason ?? 'a defect of assay'), type: 'defect' });
      return;
    case 'untested':
    case 'inconclusive':
    case 'excused':
      element.ele('skipped', { message: printable(`${verdict}: ${reason ?? 'no reason given'}`) });
      return;
    default:
      verdict satisfies never;
  }
}

/** The failure as in the terminal, without colours. */
function words(requirement: RequirementVerdict, evidence: Evidence): string {
  return failureBlocks(failureText(requirement, evidence), paint('off'))
    .map((block) => block.join('\n'))
    .join('\n\n');
}
