// In a real Chromium, where there is one (CI installs it): what the page does, and what an accessibility checker says of it.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleProof, sampleReport } from '../samples/sample.ts';
import { htmlReport } from './page.ts';

const executablePath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/google-chrome'].find(
  (path) => path !== undefined && existsSync(path),
);
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe.skipIf(executablePath === undefined)('the page in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-page-'));
  const { report, evidence } = sampleReport('broken');
  const address = pathToFileURL(join(folder, 'report.html')).href;
  const asked: string[] = [];
  const complaints: string[] = [];
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    writeFileSync(join(folder, 'report.html'), htmlReport(report, evidence, sampleProof()));
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(address);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  test('loads without a word on the console, and asks nobody for anything', async () => {
    await page.waitForLoadState('networkidle');
    expect(complaints).toEqual([]);
    expect(asked.filter((url) => url !== address && url !== 'data:,')).toEqual([]);
  });

  test('filters and search narrow the requirements', async () => {
    const rows = page.locator('.rows > li:visible');
    expect(await rows.count()).toBe(report.requirements.length);
    await page.selectOption('select[name=verdict]', 'fail');
    expect(await rows.count()).toBe(4);
    await page.fill('input[type=search]', 'bytes integer');
    expect(await rows.count()).toBe(1);
    expect(await page.textContent('#shown')).toBe('1 shown');
    await page.click('button[type=reset]');
    await expect.poll(() => rows.count()).toBe(report.requirements.length);
  });

  test('what is not proved can be filtered out, and ways to break it be searched', async () => {
    const rows = page.locator('.rows > li:visible');
    await page.selectOption('select[name=proof]', 'with exceptions');
    expect(await rows.count()).toBe(1);
    expect(await rows.first().textContent()).toContain('not tried until 2030-01-01');
    await page.click('button[type=reset]');
    await page.fill('input[type=search]', 'missing at place');
    expect(await rows.count()).toBe(1);
    expect(await rows.first().getAttribute('data-proof')).toBe('survived');
    await page.click('button[type=reset]');
    await expect.poll(() => rows.count()).toBe(report.requirements.length);
    expect(await page.locator('.matrix tbody tr').count()).toBeGreaterThan(1);
    // Of thousands of list items each that is hidden has the others counted anew, for seconds.
    expect(await rows.first().evaluate((row) => getComputedStyle(row).display)).toBe('block');
  });

  test('a link opens the failure it names', async () => {
    const failure = page.locator('details', { hasText: 'listModels:answer#contentType' });
    expect(await failure.getAttribute('open')).toBeNull();
    await page.locator('.rows a', { hasText: 'listModels:answer#contentType' }).click();
    await expect.poll(() => failure.getAttribute('open')).toBe('');
  });

  test('failures come before the fold, and the states are drawn', async () => {
    const top = await page
      .locator('#broken')
      .evaluate((section) => section.getBoundingClientRect().top + scrollY);
    // Two screens of a notebook at most, whatever the fonts.
    expect(top).toBeLessThan(1500);
    const box = await page.locator('.life svg').boundingBox();
    expect(box?.width).toBeGreaterThan(300);
    const labels = await page.locator('.life rect').count();
    expect(labels).toBe(6);
  });

  test.for(['light', 'dark'] as const)(
    'an accessibility checker finds nothing in the %s scheme',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
      await page.evaluate(axe);
      const violations = await page.evaluate(async () => {
        const { axe } = globalThis as unknown as {
          axe: { run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
        }; // as: the script above defines it
        return (await axe.run()).violations.map(
          ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' ')}`,
        );
      });
      expect(violations).toEqual([]);
    },
  );
});
