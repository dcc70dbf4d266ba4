import { describe, expect, test } from 'vitest';
import { Body } from '../../exchange/http/body.ts';
import type { ReportedRequirement } from '../report.ts';
import { terminalReport } from '../terminal/terminal.ts';
import { sampleProof, sampleReport } from '../testing/sample.ts';
import { coloursFor } from '../words/colours.ts';
import { escapeText } from './markup.ts';
import { htmlReport } from './page.ts';

describe('the page', () => {
  const { report, evidence } = sampleReport('broken');
  const page = htmlReport(report, evidence);

  test('refers to nothing outside itself', () => {
    const addresses = [...page.matchAll(/\b(?:src|href|action)="([^"]*)"|url\(([^)]*)\)/g)].map(
      ([, attribute, url]) => attribute ?? url ?? '',
    );
    expect(addresses).toContain('#coverage');
    expect(addresses.filter((to) => !to.startsWith('#') && to !== 'data:,')).toEqual([]);
  });

  test('links only to sections that it has', () => {
    const linksOf = (text: string) =>
      [...(/<nav aria-label="Sections">.*?<\/nav>/s.exec(text)?.[0] ?? '').matchAll(/href="#([^"]*)"/g)].map(
        ([, id]) => id,
      );
    const empty = htmlReport({ ...report, usage: [], disturbances: [] }, evidence);
    expect(linksOf(empty)).toContain('coverage');
    for (const text of [page, empty])
      expect(linksOf(text).filter((id) => !text.includes(` id="${id}"`))).toEqual([]);
  });

  test('names verdict, date, version, target and claim at the top', () => {
    const top = page.slice(0, page.indexOf('<main'));
    expect(top).toContain('<span class="words">does not conform</span>');
    expect(top).toContain('2026-01-31 09:30 UTC');
    expect(top).toContain('assay 0.1.0');
    expect(top).toContain('http://127.0.0.1:4010/v1');
    expect(top).toContain('<dd>models, files, chat</dd>');
    const old = htmlReport({ ...report, date: null }, evidence);
    expect(old).toContain('<dt>date</dt><dd>not recorded</dd>');
  });

  test('lists every requirement in scope, links failures to their findings, and counts requirements left out', () => {
    for (const { id, cause } of report.requirements)
      expect(page.includes(`<code>${escapeText(id)}</code>`)).toBe(cause?.kind !== 'not-claimed');
    expect(page).toContain('1 requirement left out, not claimed: images.');
    expect(page).toContain('id="r:file:bytes#type"');
    expect(page).toContain('href="#r%3Afile%3Abytes%23type"');
  });

  test('shows expected and actual values of a finding side by side, and marks the cited place in the body', () => {
    const finding = page.slice(page.indexOf('id="r:file:bytes#type"'));
    expect(finding).toContain('<dt>expected</dt><dd>an integer</dd>');
    expect(finding).toContain('<dt>actual</dt><dd>"12"</dd>');
    expect(finding).toContain('<mark class="cited">"bytes": "12",</mark>');
    const stream = page.slice(page.indexOf('id="r:chat.stream.finish-reason-ends-choice"'));
    expect(stream).toContain('"finish_reason":<mark>"stop"</mark>');
    // Event 4, which the expectation names, is shown next to the cited place.
    expect(stream).toMatch(/4 \+16ms<\/span>[^\n]*:"stop"}/);
    expect(finding).toContain('<ins>← expected an integer</ins>');
  });

  test('shows a missing member at its place in the body', () => {
    const [, file] = report.requirements;
    const { actual: _, ...lacking } = { ...file?.findings[0], at: '/status_details' };
    const odd = { ...report, requirements: [{ ...file, findings: [lacking] }] };
    const absent = htmlReport(odd as never, evidence); // as: the second is there
    expect(absent).toContain('<mark class="missing">"status_details": nothing</mark>');
  });

  test('shows a missing member of an event after the data of that event', () => {
    const [first] = report.requirements;
    const { actual: _, ...lacking } = { ...first?.findings[0], at: 'event 2 /system' };
    const odd = { ...report, requirements: [{ ...first, findings: [lacking] }] };
    const absent = htmlReport(odd as never, evidence); // as: the first is there
    expect(absent).toMatch(/<span class="stamp">[^\n]*… <mark class="missing">system: nothing<\/mark>/);
  });

  test('ends a text body that is too long with an ellipsis', () => {
    const exchange = (id: string) => {
      const one = evidence.exchange(id);
      return id === 'e6' && one?.response
        ? { ...one, response: { ...one.response, body: Body.from('x'.repeat(500)) } }
        : one;
    };
    expect(htmlReport(report, { ...evidence, exchange })).toContain(`>${'x'.repeat(399)}…</pre>`);
  });

  test('draws the events of a stream, and gives their timing in words', () => {
    const stream = page.slice(page.indexOf('id="r:chat.stream.finish-reason-ends-choice"'));
    expect(stream).toMatch(/aria-label="e3: first byte 9\.4ms, 5 events, \d\.\d+ms apart, end 19ms"/);
    expect(stream).toMatch(/<path class="event" d="(M\d+ 0v20)+"\/>/);
    expect(page).not.toContain('NaN');
  });

  test('shows each operation of a claimed family by its state in the coverage, in words too', () => {
    expect(page).toContain('createChatCompletion<span class="sr">: 2 requirements broken</span>');
    expect(page).toContain('deleteModel<span class="sr">: not offered</span>');
    expect(page).toContain('retrieveModel<span class="sr">: judged, 1 × 2xx</span>');
    expect(page).toContain('Not claimed, so not judged: images.');
  });

  test('says whose choices it lists', () => {
    expect(page).toContain('Points left open by the specification, and what the target does: ');
    expect(htmlReport({ ...report, side: 'client' }, evidence)).toContain(
      'Points left open by the specification, and what the client does: ',
    );
  });

  test('shows an operation that is left out of a claimed family as such', () => {
    const operations = report.operations.map((one) =>
      one.id === 'deleteModel' ? { ...one, claimed: false } : one,
    );
    const odd = htmlReport({ ...report, claims: ['listModels', 'retrieveModel'], operations }, evidence);
    expect(odd).toContain('deleteModel<span class="sr">: not claimed</span>');
    const key = '<span class="chip unclaimed">not claimed</span>';
    expect([odd.includes(key), page.includes(key)]).toEqual([true, false]);
    expect(odd).toContain('<th scope="row">models</th>');
  });

  test('shows what a baseline accepts as known or not decided: neither as broken nor omitted', () => {
    const requirements = report.requirements
      .filter(({ verdict }) => ['pass', 'fail', 'inconclusive'].includes(verdict))
      .map((one) => (one.verdict === 'pass' ? one : { ...one, baseline: 'mended in 2.0' }));
    const causes = [{ kind: 'accepted-undecided', count: 3, byBaseline: 3 }] as const;
    const reasons = ['3 MUSTs could not be decided, which is accepted by the baseline'];
    const summary = { ...report.summary, verdict: 'conforms', exitCode: 0, causes, reasons } as const;
    const accepted = htmlReport({ ...report, summary, requirements }, evidence);
    const top = accepted.slice(0, accepted.indexOf('<main'));
    expect(top).toContain('<header class="top conforms-with-exceptions">');
    expect(top).toContain('>conforms with 4 known failures and 3 MUSTs not decided</span>');
    expect(accepted).toContain('<th scope="col" class="n">known</th>');
    expect(accepted).toContain('createChatCompletion<span class="sr">: 2 known failures</span>');
    expect(accepted).not.toContain('class="n broken fail"');
    expect(accepted).toContain(
      'Not decided, accepted by the baseline <span class="count">3 MUSTs not decided</span>',
    );
    expect(accepted).toContain('Nothing is broken beyond what the baseline accepts.');
    expect(top).toContain('<li><span class="word known">known</span> <a href="#r%3A');
    expect(accepted).toContain('<details class="fold" id="known" open>');
    expect(accepted.indexOf('id="known"')).toBeLessThan(accepted.indexOf('id="limits"'));
    expect(accepted).toContain('<li>3 MUSTs could not be decided, which the baseline accepts.</li>');
    expect(accepted.match(/could not be decided/g)).toHaveLength(1);
    expect(page).not.toContain('<th scope="col" class="n">known</th>');
  });

  test('counts like the gate and the terminal: a cause once, its consequences separately', () => {
    const [cause] = report.diagnoses ?? [];
    const fails = report.requirements.find(({ id }) => id === 'createChatCompletion:accepts');
    const causeIds = cause?.operations.map(({ id }) => id) ?? [];
    const follows = Array.from({ length: 7 }, (_, n) => ({
      ...fails,
      id: `follows.${n}`,
      consequenceOf: causeIds,
    }));
    const requirements = [...report.requirements, ...follows] as typeof report.requirements; // as: the one that fails is there
    const open = htmlReport({ ...report, requirements }, evidence);
    expect(open).toMatch(
      /<td class="n broken fail">9 <small>2 MUSTs<\/small> <small>7 for shared causes<\/small>/,
    );
    expect(open).toContain(
      'createChatCompletion<span class="sr">: 2 requirements broken, and 7 more for shared causes</span>',
    );
    expect(open).toMatch(
      /What is broken <span class="count">4 MUSTs and 7 more for shared causes, 1 SHOULD</,
    );
    const known = requirements.map((one) => (one.verdict === 'fail' ? { ...one, baseline: 'soon' } : one));
    const accepted = htmlReport({ ...report, requirements: known }, evidence);
    expect(accepted).toMatch(
      /<td class="n known">9 <small>2 failures<\/small> <small>7 for shared causes<\/small>/,
    );
    expect(accepted).toContain(
      'accepted by the baseline <span class="count">4 requirements and 7 more for shared causes</span>',
    );
    expect(accepted).toContain('4 known failures and 7 more for shared causes, accepted by the baseline.');
    const text = terminalReport(
      { ...report, requirements: known },
      { ...evidence, paint: coloursFor('off'), columns: null, written: [] },
    );
    expect(text).toMatch(/^chat .* 9 fail \(2 known, 7 for shared causes\)/m);
  });

  test('counts what is broken as the verdict does: pinned choices, MUSTs, and what clients rely on', () => {
    const [first] = report.requirements.filter(({ verdict }) => verdict === 'fail');
    const relied = { ...first, id: 'chat.usage.total-is-sum', basis: 'clients' };
    // as: the sample has a failure
    const requirements = [first, relied] as ReportedRequirement[];
    const withoutPin = htmlReport({ ...report, diagnoses: [], requirements }, evidence);
    const choice = {
      id: 'chat.free',
      spec: '2',
      says: 'Which.',
      taken: ['b'],
      consistent: true,
      pinned: 'a',
    };
    const withPin = htmlReport({ ...report, diagnoses: [], requirements, choices: [choice] }, evidence);
    const counts = (text: string) => /What is broken <span class="count">([^<]+)</.exec(text)?.[1];
    expect(counts(withoutPin)).toBe('1 MUST, 1 requirement that clients rely on');
    expect(counts(withPin)).toBe('1 pinned choice, 1 MUST, 1 requirement that clients rely on');
  });

  test('counts the families that are not claimed as the terminal does', () => {
    const [operation] = report.operations;
    const many = Array.from({ length: 9 }, (_, n) => ({
      ...operation,
      family: `family-${n}`,
      claimed: false,
    }));
    const operations = [...report.operations, { ...operation, id: 'deleteModel', claimed: false }, ...many];
    const odd = { ...report, operations } as typeof report; // as: the first operation is there
    const families = new Set(operations.map(({ family }) => family)).size;
    expect(htmlReport(odd, evidence)).toContain(`Not claimed, so not judged: 10 of ${families} families.`);
    const terminal = terminalReport(odd, {
      ...evidence,
      paint: coloursFor('off'),
      columns: null,
      written: [],
    });
    expect(terminal).toContain('left out, not claimed: 10 families');
  });

  test('says what to do next, with a command if one fits', () => {
    expect(page).toMatch(/<h2>What to do next<\/h2><p>To judge only what this target offers:<\/p><pre/);
    expect(htmlReport(sampleReport('nothing').report, evidence)).toContain(
      '<h2>What to do next</h2><p>No request was sent: widen --claim, --only or --scenario</p></div>',
    );
  });

  test('shows a cause of refusals after wrong responses, with the requirement that it breaks', () => {
    const section = page.slice(page.indexOf('id="broken"'));
    expect(section.indexOf('refuses n &gt; 1: 3 of 3 requests with it, 0 of 5 without')).toBeGreaterThan(0);
    expect(section.indexOf('refuses n &gt; 1')).toBeGreaterThan(section.indexOf('id="r:file:bytes#type"'));
    expect(section).toContain('breaks <code>createChatCompletion:accepts</code>');
  });

  test('has one anchor for a requirement that two causes break', () => {
    const [cause] = report.diagnoses ?? [];
    const others = cause?.operations.map((one) => ({ ...one, id: `${one.id}-other` }));
    const diagnoses = [cause, { ...cause, operations: others }] as NonNullable<typeof report.diagnoses>; // as: the sample has a cause
    const ids = [...htmlReport({ ...report, diagnoses }, evidence).matchAll(/ id="([^"]*)"/g)].map(
      ([, id]) => id,
    );
    expect(ids).toContain('c:createChatCompletion:accepts#body.n&gt;1-other');
    expect(ids.filter((id) => id === 'r:createChatCompletion:accepts')).toHaveLength(1);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('has one anchor for a tolerated failure with a shared cause', () => {
    const [cause] = report.diagnoses ?? [];
    const [first] = report.requirements;
    const relied = {
      ...first,
      id: 'chat.usage.total-is-sum',
      basis: 'clients',
      consequenceOf: cause?.operations.map(({ id }) => id),
    };
    const odd = {
      ...report,
      diagnoses: [{ ...cause, consequences: [relied.id] }],
      requirements: [...report.requirements, relied],
      summary: {
        ...report.summary,
        causes: [{ kind: 'clients', count: 1, operations: [], tolerated: true }],
      },
    };
    const page = htmlReport(odd as never, evidence); // as: the sample has a cause and a failure
    expect(page).toContain('1 more requirement fails because of the same requests');
    expect(page.split(`id="r:${relied.id}"`)).toHaveLength(2);
  });

  test('lists the limits of the report above its coverage, and leaves the section out if there are none', () => {
    const limits = page.indexOf('Limits of this report');
    expect(limits).toBeGreaterThan(0);
    expect(limits).toBeLessThan(page.indexOf('id="coverage"'));
    expect(htmlReport(sampleReport('green').report, evidence)).not.toContain('id="limits"');
  });

  test('says why the run ended early, in words', () => {
    expect(htmlReport({ ...report, stopReason: 'budget' }, evidence)).toContain(
      '<li>The run ended early: the run stopped at its budget.</li>',
    );
  });

  test('adds no second full stop to words of the target', () => {
    const message = 'the base request POST /v1/files is refused: 400 No such purpose.';
    const blockers = report.blockers.map((one) => ({ ...one, message }));
    expect(blockers.length).toBeGreaterThan(0);
    expect(htmlReport({ ...report, blockers }, evidence)).toContain('400 No such purpose.</li>');
  });

  test('draws the states of each kind of object that occurred, with taken, unseen and open transitions, and lists these in words', () => {
    expect(page).toContain('<li>queued → in_progress: seen 2 times</li>');
    expect(page).toContain('<li>queued → completed: seen 1 time, states in between were not observed</li>');
    expect(page).toContain('<li>in_progress → incomplete: stated, not seen</li>');
    expect(page.match(/class="way taken"/g)).toHaveLength(3);
    expect(page.match(/class="way unseen"/g)).toHaveLength(2);
    expect(page.match(/class="way open"/g)).toHaveLength(1);
    const [machine] = report.states;
    const unmet = { ...machine, name: 'Never met', states: [{ name: 'a', stated: true, seen: 0 }] };
    const odd = htmlReport({ ...report, states: [...report.states, unmet as never] }, evidence); // as: `machine` is there
    expect(odd).not.toContain('Never met');
  });

  test('shows the cost and the latency of the run', () => {
    expect(page).toMatch(/<dt>cost<\/dt><dd>20 requests, \S+ kB, \d+ tokens, 4\.3 s<\/dd>/);
    expect(page).toContain('Observed, not judged');
    expect(page).toContain(
      '<td data-column="between events, p50 / p99">2.3 / 2.3</td><td data-column="tokens/s">101</td>',
    );
  });

  test('says how the suite is proved, if that is known', () => {
    expect(page).toContain('of 1,200 mutants (traces broken on purpose) 1,199 were killed and 1 survived');
    expect(htmlReport(sampleReport('green').report, evidence)).toContain('is not known here');
  });

  test('says why requirements are not proved, and shows the proof by family and kind', () => {
    const proof = sampleProof();
    const proved = htmlReport(report, evidence, { proof });
    const [insensitive, excused, unproved, killed] = report.requirements.map(({ id }) => id);
    const rows = proved.split('<li').filter((row) => row.includes('data-o="') && row.includes('<i>'));
    const rowOf = (id: string | undefined) =>
      rows.find((row) => row.includes(`<code>${escapeText(id ?? '')}</code>`)) ?? '';
    // Almost all requirements are proved, so their rows do not mention the proof.
    expect(rowOf(killed)).not.toContain('proof:');
    expect(rowOf(insensitive)).toContain('survived: missing at place 1, the requirement does not fail');
    expect(rowOf(excused)).toContain('exempt until 2030-01-01: null, no service sends it');
    expect(rowOf(unproved)).toContain('not proved: not-feasible: no request makes it fail');
    const matrix = proved.slice(proved.indexOf('<table class="matrix">'));
    expect(matrix).toMatch(
      /<th scope="col">null<\/th><th scope="col">wrong type<\/th><th scope="col">own mutations/,
    );
    const { requirements } = report.summary;
    const killedCount = (requirements.total - 2) * 6;
    expect(matrix).toContain(
      `<th scope="row">all</th><td>${requirements.total - 1}</td><td>${killedCount + 1}</td><td>${killedCount}</td>`,
    );
    expect(matrix).toContain('<td>no service sends it</td><td>2030-01-01</td>');
    expect(matrix).toContain('<td>it never is</td><td>no end</td>');
  });

  test('counts why requirements were not judged', () => {
    expect(page).toContain('1 requirement of 11 needed a model or a key that was not given.');
  });

  test('shows invalid requests that one operation accepts as one finding, with an anchor for each', () => {
    const [first] = report.requirements;
    const rejected = ['n#maximum', 'n#type'].map((place) => ({
      ...first,
      id: `createChatCompletion:body.${place}.rejected`,
      kind: 'rejected',
    }));
    const odd = htmlReport({ ...report, requirements: rejected as never }, evidence); // as: `first` is there
    expect(odd.match(/class="finding /g)).toHaveLength(1);
    expect(odd).toContain('accepts 2 kinds of invalid requests');
    expect(odd).toContain('id="r:createChatCompletion:body.n#type.rejected"');
  });

  test('shows all kept findings of a requirement on demand, with their exchanges', () => {
    const [first] = report.requirements;
    const findings = Array.from({ length: 9 }, (_, n) => ({
      ...first?.findings[0],
      at: `event ${n}`,
      signature: String(n),
    }));
    const odd = { ...report, requirements: [{ ...first, findings, findingsTotal: 40 }] };
    const text = htmlReport(odd as never, evidence); // as: the first is there
    const list = text.slice(text.indexOf('<summary>and 37 more findings</summary>'));
    for (const { at } of findings) expect(list).toContain(`<code>${at}</code>: expected`);
    expect(list).toContain('and 31 more, in the recorded traffic');
    const [exchange = ''] = findings.map((one) => one.exchange);
    expect(list).toContain(`<a href="#x:${exchange}">${exchange}</a>`);
    expect(text).toContain(`id="x:${exchange}"`);
  });

  test('shows equal findings of several exchanges on one line', () => {
    const [first] = report.requirements;
    const findings = ['e3', 'e998', 'e999'].map((exchange) => ({ ...first?.findings[0], exchange }));
    const odd = { ...report, requirements: [{ ...first, findings, findingsTotal: 3 }] };
    const text = htmlReport(odd as never, evidence); // as: the first is there
    expect(text).toMatch(/<li><a href="#x:e3">e3<\/a> e998 e999 <code>/);
  });

  test('shows an exchange once, and links lead to its finding', () => {
    const [findings = '', exchanges = ''] = page.split('id="exchanges"');
    const shown = [...findings.matchAll(/<span class="id">(e\d+)<\/span><\/p>/g)].map(([, id]) => id);
    expect(shown.length).toBeGreaterThan(1);
    for (const id of shown) expect(exchanges).not.toContain(`>${id}<`);
    const linked = new Set([...page.matchAll(/href="#x:(e\d+)"/g)].map(([, id]) => id));
    expect(shown.filter((id) => linked.has(id))).not.toEqual([]);
    for (const id of linked) expect(page.split(`id="x:${id}"`)).toHaveLength(2);
  });

  test('lists only claimed operations in the filter', () => {
    const [first] = report.requirements;
    const beyond = { ...first, operations: ['createChatCompletion', 'createImage', 'deleteModel'] };
    const claimed = report.operations.filter(({ id }) => id !== 'deleteModel');
    const odd = { ...report, operations: claimed, requirements: [beyond] };
    const text = htmlReport(odd as never, evidence); // as: the first is there
    const options = text.slice(text.indexOf('<select name="operation">'), text.indexOf('name="level"'));
    expect([...options.matchAll(/<option>(\w+)/g)].map(([, id]) => id)).toEqual(['createChatCompletion']);
  });

  test('draws the timeline of the run by operation and scenario, if times are known', () => {
    const ids = ['e3', 'e6', 'e10', 'e12'].filter((id) => evidence.exchange(id) !== undefined);
    const places = new Map(ids.map((id, n) => [`e${n + 1}`, id]));
    const timed = (start: number) => ({
      ...evidence,
      exchange: (id: string) => evidence.exchange(places.get(id) ?? id),
      timeline: { size: ids.length, began: (id: string) => start + Number(id.slice(1)) * 100 },
    });
    expect(ids.length).toBeGreaterThan(1);
    const drawn = htmlReport(report, timed(1_700_000_000_000));
    const course = drawn.slice(drawn.indexOf('id="timeline"'), drawn.indexOf('id="latency"'));
    expect(course).toContain(`${ids.length} requests in`);
    expect(course).toMatch(/<th scope="row">createChatCompletion<\/th><td><svg [^>]*><path d="M0 4H\d+/);
    expect(course).toContain('<h3>By scenario');
    const timeless = { ...timed(0), timeline: { size: ids.length, began: () => 0 } };
    expect(htmlReport(report, timeless)).not.toContain('id="timeline"');
  });

  test('names the exchanges that first show a pass, and links those that were kept', () => {
    const requirements = report.requirements.map((one) =>
      one.verdict === 'pass' ? { ...one, shownBy: ['e3', 'e99'] } : one,
    );
    const passing = htmlReport({ ...report, requirements }, evidence);
    expect(passing).toMatch(/<i>[^<]* seen: <a href="#x:e3">e3<\/a> e99<\/i>/);
    expect(passing).toContain('id="x:e3"');
    expect(passing).toContain(`<code>npx assay show ${evidence.cassette} e1</code> prints one,`);
  });

  test('escapes markup and direction marks in a value from the target', () => {
    const first = report.requirements[0];
    const finding = { ...first?.findings[0], actual: '<script>alert(1)</script>\u202e' };
    const odd = { ...report, requirements: [{ ...first, findings: [finding] }] };
    const text = htmlReport(odd as never, evidence); // as: the first is there
    expect(text).toContain('"&lt;script&gt;alert(1)&lt;/script&gt;\\u202e"');
    expect(text).not.toContain('<script>alert');
    expect(text).not.toContain('\u202e');
  });

  test('stays below 400 kB if 317 requirements are broken', () => {
    const many = Array.from({ length: 317 }, (_, n) => ({
      ...report.requirements[n % 4],
      id: `chat.rule-${n}`,
    }));
    const large = htmlReport({ ...report, requirements: many as never }, evidence, { proof: sampleProof() }); // as: the first four are there
    expect(Buffer.byteLength(large)).toBeLessThan(400_000);
  });

  test('stays below 1.15 MB for 3,300 requirements, a tenth of them broken', () => {
    const says =
      'A sentence about as long as those of most requirements of this suite are, plus a few words.';
    const many = Array.from({ length: 3300 }, (_, n) => ({
      ...report.requirements[n % 10 === 0 ? 0 : 5],
      id: `vector-store-files.a-requirement-of-usual-length-${n}`,
      says,
      ...(n % 10 === 0 ? {} : { verdict: 'pass', cause: null, reason: null, findings: [], shownBy: ['e3'] }),
    }));
    const large = htmlReport({ ...report, requirements: many as never }, evidence); // as: both are there
    expect(Buffer.byteLength(large)).toBeLessThan(1_150_000);
  });
});
