import { describe, expect, test } from 'vitest';
import { sampleProof, sampleReport } from '../samples/sample.ts';
import { escapeText, html } from './markup.ts';
import { htmlReport } from './page.ts';

describe('markup', () => {
  test('what is put in is escaped, markup is not', () => {
    const inner = html`<b title="${'"x"'}">${'<i>&'}</b>`;
    expect(html`<p>${inner}${null}${[1, inner]}</p>`.text).toBe(
      '<p><b title="&quot;x&quot;">&lt;i&gt;&amp;</b>1<b title="&quot;x&quot;">&lt;i&gt;&amp;</b></p>',
    );
    expect(escapeText("'")).toBe('&#39;');
  });
});

describe('the page', () => {
  const { report, evidence } = sampleReport('broken');
  const page = htmlReport(report, evidence);

  test('asks nobody for anything', () => {
    const addresses = [...page.matchAll(/\b(?:src|href|action)="([^"]*)"|url\(([^)]*)\)/g)].map(
      (found) => found[1] ?? found[2] ?? '',
    );
    expect(addresses.filter((to) => !to.startsWith('#') && to !== 'data:,')).toEqual([]);
  });

  test('holds every requirement, and every failure with its wire', () => {
    for (const { id } of report.requirements) expect(page).toContain(`id="row:${escapeText(id)}"`);
    expect(page).toContain('id="r:file:bytes#type"');
    expect(page).toContain('href="#r%3Afile%3Abytes%23type"');
    expect(page).toContain('&gt; GET /v1/files/file-9');
  });

  test('says first what could make a pass meaningless', () => {
    expect(page.indexOf('Before a pass means anything')).toBeLessThan(page.indexOf('id="verdict"'));
    expect(page).toContain('Not claimed, so not judged: images.');
    expect(htmlReport(sampleReport('green').report, evidence)).not.toContain('id="cautions"');
  });

  test('draws the states with the ways that were taken, and tells them in words', () => {
    expect(page).toContain('<li>queued → in_progress: seen 2 times</li>');
    expect(page).toContain('<li>queued → completed: seen 1 time, states between were not looked at</li>');
    expect(page).toContain('<li>in_progress → incomplete: stated, not seen</li>');
    expect(page.match(/class="way taken"/g)).toHaveLength(3);
    expect(page.match(/class="way unseen"/g)).toHaveLength(2);
    expect(page.match(/class="way open"/g)).toHaveLength(1);
    expect(page).not.toContain('NaN');
  });

  test('tells what the run cost and how the suite is proved', () => {
    expect(page).toContain('<dt>requests</dt><dd>20</dd>');
    expect(page).toContain('of 1,200 traces broken on purpose 1,199 were found out and 1 were not');
    expect(htmlReport(sampleReport('green').report, evidence)).toContain('is not known here');
  });

  test('tells of each requirement how it was proved, by family and kind, and what was not', () => {
    const proof = sampleProof();
    const proved = htmlReport(report, evidence, proof);
    const [insensitive, excused, unproved, killed] = report.requirements.map(({ id }) => id);
    const rowOf = (id: string | undefined) =>
      proved.split('<li id="row:').find((row) => row.startsWith(`${escapeText(id ?? '')}"`)) ?? '';
    expect(rowOf(killed)).toContain(
      'proof: 6 of 6 broken traces found out: null 3, wrong type 2, one too many 1',
    );
    expect(rowOf(insensitive)).toContain('survived: missing at place 1, the requirement does not fail');
    expect(rowOf(excused)).toContain('not tried until 2030-01-01: null, no service sends it');
    expect(rowOf(unproved)).toContain('not proved: not-feasible: no request makes it fail');
    const matrix = proved.slice(proved.indexOf('<table class="matrix">'));
    expect(matrix).toMatch(
      /<th scope="col">null<\/th><th scope="col">wrong type<\/th><th scope="col">own mutations/,
    );
    const { requirements } = report.summary;
    const six = (requirements.total - 2) * 6;
    expect(matrix).toContain(
      `<th scope="row">all</th><td>${requirements.total - 1}</td><td>${six + 1}</td><td>${six}</td>`,
    );
    expect(matrix).toContain('<td>no service sends it</td><td>2030-01-01</td>');
    expect(matrix).toContain('<td>it never is</td><td>no end</td>');
    expect(page).not.toContain('data-proof');
  });

  test('counts why requirements were not judged', () => {
    expect(page).toContain('1 requirement of 11 need');
  });

  test('nothing of the target becomes markup or steers', () => {
    const first = report.requirements[0];
    const finding = { ...first?.findings[0], actual: '<script>alert(1)</script>\u202e' };
    const odd = { ...report, requirements: [{ ...first, findings: [finding] }] };
    const text = htmlReport(odd as never, evidence); // as: the first is there
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('\u202e');
  });

  test('three thousand requirements stay a page of a few megabytes', () => {
    const many = Array.from({ length: 3000 }, (_, n) => ({
      ...report.requirements[5],
      id: `chat.rule-${n}`,
    }));
    const row = { mutants: 9, killed: 9, by: { null: 3, 'wrong type': 6 } };
    const proof = { ...sampleProof(), requirements: Object.fromEntries(many.map(({ id }) => [id, row])) };
    const large = htmlReport({ ...report, requirements: many as never }, evidence, proof); // as: the sixth is there
    expect(large.length).toBeLessThan(4e6);
  });
});
