// The HTML pages in a real Chromium, if there is one (CI installs it): their behaviour, and the findings of an
// accessibility checker.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Exchange } from '../../exchange/exchange.ts';
import { compareReports } from '../comparison/compare.ts';
import { makeMatrix, matrixHtml } from '../formats/matrix.ts';
import { publicationIndex, publicationPage } from '../formats/published-pages.ts';
import { supportHtml } from '../formats/support.ts';
import type { Report } from '../report.ts';
import { sampleProof, sampleReport } from '../testing/sample.ts';
import { htmlReport } from './page.ts';

const executablePath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

function createLargeReport(): Report {
  const { report } = sampleReport('broken');
  const { operations } = report;
  const [first] = report.requirements;
  if (first === undefined) throw new Error('the sample has no requirement');
  const states = [
    { verdict: 'pass', baseline: null, cause: null },
    { verdict: 'fail', baseline: null, cause: null },
    { verdict: 'fail', baseline: 'since the first release', cause: null },
    { verdict: 'inconclusive', baseline: null, cause: null },
  ] as const;
  const families = [...new Set(operations.map(({ family }) => family))];
  const many = families.flatMap((family) =>
    states.flatMap((state, kind) =>
      Array.from({ length: 321 }, (_, n) => ({ ...first, ...state, family, id: `${family}.${kind}.${n}` })),
    ),
  );
  return { ...report, requirements: [...report.requirements, ...many] };
}

describe.skipIf(executablePath === undefined)('in Chromium', () => {
  const { report, evidence } = sampleReport('broken');
  const comparison = compareReports(sampleReport('green').report, report);
  const requestedUrls: string[] = [];
  const complaints: string[] = [];
  let folder: string;
  let address: string;
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'assay-page-'));
    address = pathToFileURL(join(folder, 'report.html')).href;
    writeFileSync(
      join(folder, 'report.html'),
      htmlReport(report, evidence, { proof: sampleProof(), comparison }),
    );
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.on('request', (request) => requestedUrls.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(address);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  test('the page loads without console output or network requests', async () => {
    await page.waitForLoadState('networkidle');
    expect(complaints).toEqual([]);
    expect(requestedUrls.filter((url) => url !== address && url !== 'data:,')).toEqual([]);
  });

  test('filters and search narrow findings and requirements, survive a reload in the address, and can be reset', async () => {
    const rows = page.locator('.family .rows > li:not([hidden])');
    const findings = page.locator('.findings > li:not([hidden])');
    const rowCount = await rows.count();
    await page.selectOption('select[name=verdict]', 'fail');
    expect(await rows.count()).toBe(4);
    expect(await findings.count()).toBe(4);
    await page.selectOption('select[name=operation]', 'retrieveFile');
    expect(await findings.count()).toBe(1);
    await page.fill('input[type=search]', 'bytes integer');
    expect(await page.textContent('#shown')).toBe(`1 of ${rowCount} shown`);
    expect(await hashOf(page)).toBe('#?search=bytes+integer&verdict=fail&operation=retrieveFile');
    await page.reload();
    expect(await rows.count()).toBe(1);
    expect(await page.inputValue('input[type=search]')).toBe('bytes integer');
    await page.click('button[type=reset]');
    await expect.poll(() => rows.count()).toBe(rowCount);
    expect(await hashOf(page)).toBe('');
  });

  test('rows of requirements are blocks, not list items', async () => {
    const row = page.locator('.family .rows > li').first();
    // Hiding each of thousands of list items would renumber the others, which takes seconds.
    expect(await row.evaluate((item) => getComputedStyle(item).display)).toBe('block');
  });

  test('a filter hides each section above the requirements in which nothing matches; a link or a reset shows it again', async () => {
    await page.goto(address);
    const shownSections = () =>
      page.locator('main > section:visible').evaluateAll((all) => all.map(({ id }) => id));
    const sections = await shownSections();
    expect(sections.slice(0, sections.indexOf('requirements'))).toEqual([
      'broken',
      'limits',
      'coverage',
      'changes',
    ]);
    await page.selectOption('select[name=verdict]', 'inconclusive');
    expect(await shownSections()).toEqual(sections.slice(sections.indexOf('requirements')));
    expect(await page.locator('.family .rows > li:visible').count()).toBeGreaterThan(0);
    await page.locator('nav a', { hasText: 'Coverage' }).click();
    await expect.poll(() => page.locator('#coverage').isVisible()).toBe(true);
    await page.selectOption('select[name=verdict]', 'fail');
    expect(await shownSections()).toEqual(['broken', ...sections.slice(sections.indexOf('requirements'))]);
    await page.click('button[type=reset]');
    await expect.poll(shownSections).toEqual(sections);
  });

  test('no line of a proposed command wraps', async () => {
    const linesOf = (element: Element) => {
      const range = document.createRange();
      range.selectNodeContents(element.lastChild ?? element);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      return [tops.size, element.lastChild?.textContent?.split('\n').length];
    };
    const commands = await page.locator('pre[aria-label="Command"]').all();
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const [shown, written] = await command.evaluate(linesOf);
      expect(shown).toBe(written);
    }
  });

  test('on a phone the table of speed is not wider than the page, and no operation wraps', async () => {
    const phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await phone.goto(address);
    await phone.evaluate("document.querySelector('#latency details').open = true");
    const region = phone.locator('#latency .wide');
    expect(await region.evaluate((wide) => wide.scrollWidth - wide.clientWidth)).toBe(0);
    const lineCounts = await phone
      .locator('#latency th code')
      .evaluateAll((all) => all.map((one) => one.getClientRects().length));
    expect([...new Set(lineCounts)]).toEqual([1]);
    await phone.close();
  });

  test('the open finding is part of the address, and a link opens the one it names', async () => {
    const failure = page.locator('details.finding', { hasText: 'listModels:answer#contentType' });
    expect(await failure.getAttribute('open')).toBeNull();
    await failure.locator('summary').click();
    expect(await hashOf(page)).toBe('#r%3AlistModels%3Aanswer%23contentType');
    await page.reload();
    expect(await failure.getAttribute('open')).toBe('');
    await page.goto(`${address}#r%3Afile%3Abytes%23type`);
    const other = page.locator('details.finding', { hasText: 'file:bytes#type' });
    await expect.poll(() => other.getAttribute('open')).toBe('');
    await page.evaluate("document.querySelectorAll('.family').forEach((one) => { one.open = true; })");
    await page.locator('.family a', { hasText: 'listModels:answer#json' }).click();
    await expect
      .poll(() => page.locator('details.finding', { hasText: 'listModels:answer#json' }).getAttribute('open'))
      .toBe('');
  });

  test('a finding can be opened with the keyboard alone', async () => {
    await page.goto(address);
    const failure = page.locator('details.finding', { hasText: 'listModels:answer#contentType' });
    await failure.locator('summary').focus();
    await page.keyboard.press('Enter');
    expect(await failure.getAttribute('open')).toBe('');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.closest("details.finding") !== null')).toBe(true);
  });

  test('the first screen names the first failure and links to it, and on a laptop also shows its summary', async () => {
    for (const [width, height] of [
      [1280, 800],
      [390, 844],
    ] as const) {
      const fresh = await browser.newPage({ viewport: { width, height } });
      await fresh.goto(address);
      const line = await fresh.locator('.glance li').first().boundingBox();
      expect((line?.y ?? height) + (line?.height ?? 0)).toBeLessThan(height / 2);
      const first = await fresh.locator('.finding summary').first().boundingBox();
      if (width === 1280) expect((first?.y ?? height) + (first?.height ?? 0)).toBeLessThan(height);
      await fresh.locator('.glance a').first().click();
      const opened = fresh.locator('details.finding').first();
      await expect.poll(async () => (await opened.boundingBox())?.y ?? height).toBeLessThan(height / 2);
      // The URL changes and the page scrolls before the `hashchange` event opens the finding.
      await expect.poll(() => opened.getAttribute('open')).toBe('');
      await fresh.close();
    }
  });

  test('keys move between findings, open one, and focus the search', async () => {
    const fresh = await browser.newPage();
    await fresh.goto(address);
    const focused = () =>
      fresh.evaluate('document.activeElement.closest("details.finding")?.id ?? document.activeElement.name');
    const ids = await fresh.locator('details.finding').evaluateAll((all) => all.map(({ id }) => id));
    for (const key of ['j', 'j', 'j']) await fresh.keyboard.press(key);
    expect(await focused()).toBe(ids[2]);
    await fresh.keyboard.press('k');
    expect(await focused()).toBe(ids[1]);
    const second = fresh.locator('details.finding').nth(1);
    await fresh.keyboard.press('Enter');
    expect(await second.getAttribute('open')).toBeNull();
    await fresh.keyboard.press('Enter');
    expect(await second.getAttribute('open')).toBe('');
    await fresh.keyboard.press('/');
    expect(await focused()).toBe('search');
    await fresh.keyboard.type('jk/');
    expect(await fresh.inputValue('input[type=search]')).toBe('jk/');
    await fresh.close();
  });

  test('a command of a finding is copied exactly, and each command under “What to do next” has a button', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const fresh = await context.newPage();
    await fresh.goto(address);
    const command = fresh.locator('.next dd').first();
    const text = await command.locator('code').textContent();
    await command.locator('button').click();
    await expect.poll(() => command.locator('button').textContent()).toBe('copied');
    expect(await fresh.evaluate(() => navigator.clipboard.readText())).toBe(text);
    const proposedCommands = fresh.locator('pre[aria-label="Command"]');
    expect(await proposedCommands.count()).toBeGreaterThan(0);
    expect(await proposedCommands.locator('button').count()).toBe(await proposedCommands.count());
    await context.close();
  });

  test('the search highlights what it found', async () => {
    const fresh = await browser.newPage();
    await fresh.goto(address);
    await fresh.fill('input[type=search]', 'BYTES');
    const marked = () =>
      fresh.evaluate("[...CSS.highlights.get('found')].map((range) => range.toString().toLowerCase())");
    expect(new Set((await marked()) as string[])).toEqual(new Set(['bytes']));
    await fresh.fill('input[type=search]', '');
    expect(await marked()).toEqual([]);
    await fresh.close();
  });

  test.for([
    ['requirement', '.family .rows > li:not([data-v])'],
    ['finding', '.findings > li'],
  ] as const)(
    'Enter leads from the search to the first %s that it shows, below the filters',
    async ([_, rows]) => {
      const fresh = await browser.newPage({ viewport: { width: 1280, height: 800 } });
      await fresh.goto(address);
      const target = fresh.locator(rows).last();
      const id = (await target.locator('code').first().textContent()) ?? '';
      // All of this happens in one task, because no frame may pass before Enter: the count of what is shown makes the
      // filters higher.
      await fresh.locator('#filters').evaluate((form, text) => {
        const [search] = form.querySelectorAll<HTMLInputElement>('input[type=search]');
        if (search === undefined) throw new Error('no search');
        search.value = text;
        search.dispatchEvent(new Event('input', { bubbles: true }));
        (form as HTMLFormElement).requestSubmit();
      }, id);
      const first = fresh.locator('.findings > li:not([hidden]), .family .rows > li:not([hidden])').first();
      const shows = async () => {
        const top = await first.evaluate((row) => row.getBoundingClientRect().top);
        const bar = await fresh.locator('#filters').evaluate((form) => form.getBoundingClientRect().bottom);
        expect(top).toBeGreaterThanOrEqual(bar);
        expect(top).toBeLessThan(800);
      };
      await shows();
      await fresh.evaluate('scrollTo(0, 0)');
      await fresh.focus('input[type=search]');
      await fresh.keyboard.press('Enter');
      await shows();
      await fresh.close();
    },
  );

  test('no heading that a link leads to is covered by the filters', async () => {
    for (const width of [1280, 800, 390]) {
      const fresh = await browser.newPage({ viewport: { width, height: 700 } });
      await fresh.goto(address);
      const links = await fresh.locator('nav a').all();
      expect(links.length).toBeGreaterThan(1);
      for (const link of links) {
        await link.click();
        const covered = () =>
          fresh.evaluate(`(() => {
          const bar = document.getElementById('filters');
          const bottom = getComputedStyle(bar).position === 'sticky' ? bar.getBoundingClientRect().bottom : 0;
          const head = document.getElementById(location.hash.slice(1)).querySelector('h2');
          return head.getBoundingClientRect().top < bottom;
        })()`);
        await expect.poll(covered, { message: `${width} px, ${await link.textContent()}` }).toBe(false);
      }
      await fresh.close();
    }
  });

  test.each([
    ['in the finding that shows it', report.requirements[0]?.findings[0]?.exchange],
    ['among the exchanges', 'e99'],
  ])('the id of an exchange opens the exchange, %s', async (_, exchange) => {
    const choice = report.choices.find(({ taken }) => taken.length > 0);
    const choices = [{ ...choice, exchanges: choice?.taken.map(() => exchange) }];
    const file = join(folder, 'linked.html');
    const uncited = { ...evidence.exchange('e4'), id: 'e99' } as Exchange; // as: e4 is there
    const traffic = {
      ...evidence,
      exchange: (id: string) => (id === 'e99' ? uncited : evidence.exchange(id)),
    };
    writeFileSync(file, htmlReport({ ...report, choices: choices as never }, traffic)); // as: the sample has such a choice
    const fresh = await browser.newPage();
    await fresh.goto(pathToFileURL(file).href);
    await fresh.evaluate("document.querySelectorAll('details.fold').forEach((one) => { one.open = true; })");
    const link = fresh.locator('#choices a').first();
    const id = await link.textContent();
    await fresh.evaluate(
      "document.querySelectorAll('.finding, #exchanges > details').forEach((one) => { one.open = false; })",
    );
    await link.click();
    const opened = fresh.locator(`[id="x:${id}"]`);
    await expect.poll(() => opened.locator('.line.sent').isVisible()).toBe(true);
    await fresh.close();
  });

  test('the state diagrams are drawn', async () => {
    const box = await page.locator('.life svg').boundingBox();
    expect(box?.width).toBeGreaterThan(300);
    expect(await page.locator('.life rect').count()).toBe(6);
  });

  test('at 390 px the page is not wider than the screen, and a count of broken requirements is visible', async () => {
    const phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await phone.goto(address);
    await phone.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const broken = await phone.locator('.coverage td.broken').first().boundingBox();
    expect((broken?.x ?? 999) + (broken?.width ?? 999)).toBeLessThanOrEqual(390);
    await phone.close();
  });

  test('at 390 px a page with the use by a client and its reactions fits the screen, and is accessible', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `body.a_parameter_with_a_long_name_${n}`);
    const parts = names.map((name, n) => ({ name, times: n % 2, values: [] }));
    const operations = ['createChatCompletion', 'modifyVectorStore.v2'];
    const usage = operations.map((subject) => ({
      ...{ subject, family: 'chat', requests: 3, parameters: parts, events: [] },
    }));
    const disturbances = ['cut-stream', 'duplicate-event'].map((disturbance) => ({
      ...{ disturbance, request: null, message: '', retries: 0, retriedAfter: null, honoured: null },
      ...{ wentOn: false, createdTwice: [], usedHalf: false },
    }));
    const file = join(folder, 'client.html');
    writeFileSync(file, htmlReport({ ...report, side: 'client', usage, disturbances }, evidence));
    const phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
    await phone.goto(pathToFileURL(file).href);
    await phone.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    expect(await phone.locator('#usage td, #disturbances td').count()).toBe(10);
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(await violationsOf(phone)).toEqual([]);
    await phone.close();
  });

  test('the counts and operations of a report with a baseline are visible at each width', async () => {
    const file = join(folder, 'accepting.html');
    writeFileSync(file, htmlReport(createLargeReport(), evidence));
    const narrow = await browser.newPage();
    await narrow.goto(pathToFileURL(file).href);
    expect(await narrow.locator('table.coverage.accepting').count()).toBe(1);
    for (const width of [390, 320, 1280]) {
      await narrow.setViewportSize({ width, height: 844 });
      expect(await narrow.evaluate('document.documentElement.scrollWidth')).toBe(width);
      // The page may fit although a box in it scrolls: every number and operation must be visible.
      const rights = await narrow
        .locator('.coverage td.n, .coverage .chip')
        .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().right));
      expect(rights.length).toBeGreaterThan(5);
      expect(Math.max(...rights)).toBeLessThanOrEqual(width);
    }
    await narrow.close();
  });

  test('without scripts findings and requirements can be read, and the filters are hidden', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(address);
    expect(await plain.locator('#filters').isVisible()).toBe(false);
    expect(await plain.locator('.findings .pair').first().isVisible()).toBe(true);
    const list = plain.locator('.family').first();
    await list.locator('summary').click();
    expect(await list.locator('.rows > li').first().isVisible()).toBe(true);
    await context.close();
  });

  test('in print the page has at most four sheets, even if 300 requirements fail and all findings are open', async () => {
    const [first] = report.requirements;
    const many = Array.from({ length: 300 }, (_, n) => ({ ...first, id: `chat.stream.rule-${n}` }));
    const large = { ...report, requirements: [...report.requirements, ...many] };
    const extras = {
      proof: sampleProof(),
      comparison: compareReports(sampleReport('green').report, large as never),
    }; // as: `first` is there
    const file = join(folder, 'large.html');
    writeFileSync(file, htmlReport(large as never, evidence, extras)); // as: `first` is there
    const paper = await browser.newPage();
    await paper.goto(pathToFileURL(file).href);
    await paper.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    const pdf = (await paper.pdf({ preferCSSPageSize: true })).toString('latin1');
    const pages = pdf.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThanOrEqual(4);
    await paper.close();
  });

  test.for(['light', 'dark'] as const)(
    'an accessibility checker finds nothing in the %s scheme',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
      expect(await violationsOf(page)).toEqual([]);
    },
  );

  const matrix = makeMatrix([
    { name: 'good', report: sampleReport('green').report },
    { name: 'a-service-with-a-long-name', report },
  ]);
  const command = 'npx assay check cassette --dialect strict';
  const publication = { format: 1, command, published: '2026-11-24', expires: '2027-02-22' } as const;
  test.for([
    ['publication.html', publicationPage(report, publication), command],
    [
      'index.html',
      publicationIndex([{ folder: 'a', report, publication }], '2026-11-24'),
      '1 judged service',
    ],
    ['support.html', supportHtml(report), 'createChatCompletion'],
    ['matrix.html', matrixHtml(matrix), 'Fields of requests'],
  ] as const)('%s makes no request, fits a phone, and is accessible', async ([name, text, shown]) => {
    const file = join(folder, name);
    writeFileSync(file, text);
    const fresh = await browser.newPage();
    const urls: string[] = [];
    fresh.on('request', (request) => urls.push(request.url()));
    fresh.on('console', (message) => complaints.push(message.text()));
    await fresh.goto(pathToFileURL(file).href);
    expect(await fresh.locator('main').innerText()).toContain(shown);
    for (const width of [1280, 390]) {
      await fresh.setViewportSize({ width, height: 844 });
      expect(await fresh.evaluate('document.documentElement.scrollWidth')).toBe(width);
      const tables = await fresh.locator('.wide').all();
      for (const table of tables)
        expect(await table.evaluate((wide) => wide.scrollWidth - wide.clientWidth)).toBe(0);
    }
    for (const colorScheme of ['light', 'dark'] as const) {
      await fresh.emulateMedia({ colorScheme });
      expect(await violationsOf(fresh)).toEqual([]);
    }
    expect(urls.filter((url) => url !== pathToFileURL(file).href && url !== 'data:,')).toEqual([]);
    expect(complaints).toEqual([]);
    await fresh.close();
  });
});

/** The fragment of the address, read in the page, because `page.url()` may lag behind. */
function hashOf(page: Page): Promise<string> {
  return page.evaluate(() => location.hash);
}

async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    }; // as: the script above defines it
    return (await axe.run()).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`,
    );
  });
}
