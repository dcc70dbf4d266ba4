import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { findSecretShapes } from './secret-shapes.ts';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const ALPHABETS: Readonly<Record<string, string>> = {
  w: `${UPPER}${LOWER}0123456789`,
  l: `${LOWER}0123456789`,
  a: LOWER,
  U: `${UPPER}0123456789`,
  b: `${UPPER}234567`,
  q: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
  h: '0123456789abcdef',
  n: '0123456789',
};

/** Replaces `{12w}` with 12 characters of the alphabet `w`: the templates themselves do not look like secrets. */
function sample(template: string): string {
  let state = 12_345;
  return template.replaceAll(/\{(\d+)([a-zA-Z])\}/g, (_, count: string, name: string) => {
    const alphabet = ALPHABETS[name] ?? '';
    return Array.from({ length: Number(count) }, () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return alphabet[(state >> 8) % alphabet.length];
    }).join('');
  });
}

const UUID = '{8h}-{4h}-{4h}-{4h}-{12h}';
const SAMPLES: readonly (readonly [id: string, template: string])[] = [
  ['1password-secret-key', 'A3-{6U}-{11U}-{5U}-{5U}-{5U}'],
  ['1password-service-account-token', 'ops_eyJ{260w}'],
  ['adobe-client-secret', 'p8e-{32l}'],
  ['azure-openai-api-key', '{52w}JQQJ99{26w}'],
  ['azure-openai-api-key', '"api-key": "{32h}"'],
  ['azure-openai-api-key', 'AZURE_OPENAI_API_KEY={32h}'],
  ['discord-bot-token', 'MT{24w}.G{5w}.{38w}'],
  ['discord-webhook-url', 'https://discord.com/api/webhooks/{18n}/{68w}'],
  ['mistral-api-key', 'MISTRAL_API_KEY={32w}'],
  ['nvidia-api-key', 'nvapi-{64w}'],
  ['pinecone-api-key', 'pcsk_{6w}_{63w}'],
  ['telegram-bot-api-token', '{10n}:AA{33w}'],
  ['together-api-key', 'together_api_key = "{64h}"'],
  ['together-api-key', 'tgp_v1_{43w}'],
  ['age-secret-key', 'AGE-SECRET-KEY-1{58q}'],
  ['airtable-api-key', '"airtable_key":"{17l}"'],
  ['algolia-api-key', 'ALGOLIA_KEY={32l}'],
  ['alibaba-access-key-id', 'LTAI{20l}'],
  ['anthropic-admin-api-key', 'sk-ant-admin01-{93w}AA'],
  ['anthropic-api-key', 'sk-ant-api03-{93w}AA'],
  ['artifactory-api-key', 'AKCp{69w}'],
  ['aws-access-token', 'AKIA{16b}'],
  ['aws-secret-access-key', 'aws_secret_access_key = {40w}'],
  ['azure-storage-account-key', 'AccountKey={86w}=='],
  ['basic-credentials', 'Basic {24w}'],
  ['bitbucket-client-id', '"bitbucket_id": "{32l}"'],
  ['clojars-api-token', 'CLOJARS_{60l}'],
  ['cloudflare-api-key', 'cloudflare_key = "{40l}"'],
  ['cohere-api-token', 'CO_API_KEY="{40w}"'],
  ['databricks-api-token', 'dapi{32h}'],
  ['datadog-access-token', 'datadog_key: {40l}'],
  ['digitalocean-access-token', 'doo_v1_{64h}'],
  ['digitalocean-pat', 'dop_v1_{64h}'],
  ['discord-api-token', 'discord_token="{64h}"'],
  ['doppler-api-token', 'dp.pt.{43l}'],
  ['duffel-api-token', 'duffel_test_{43l}'],
  ['dynatrace-api-token', 'dt0c01.{24l}.{64l}'],
  ['easypost-api-token', 'EZAK{54l}'],
  ['facebook-page-access-token', 'EAAM{110l}'],
  ['fastly-api-token', 'fastly_token="{32l}"'],
  ['flutterwave-secret-key', 'FLWSECK_TEST-{32h}-X'],
  ['flyio-access-token', 'fo1_{43w}'],
  ['frameio-api-token', 'fio-u-{64l}'],
  ['gcp-api-key', 'AIza{35w}'],
  ['github-app-token', 'ghs_{36w}'],
  ['github-fine-grained-pat', 'github_pat_{82w}'],
  ['github-oauth', 'gho_{36w}'],
  ['github-pat', 'ghp_{36w}'],
  ['github-refresh-token', 'ghr_{36w}'],
  ['gitlab-deploy-token', 'gldt-{20w}'],
  ['gitlab-pat', 'glpat-{20w}'],
  ['gitlab-ptt', 'glptt-{40h}'],
  ['gitlab-runner-authentication-token', 'glrt-{20w}'],
  ['google-oauth-client-secret', 'GOCSPX-{28w}'],
  ['grafana-cloud-api-token', 'glc_{40w}'],
  ['grafana-service-account-token', 'glsa_{32w}_{8h}'],
  ['groq-api-key', 'gsk_{52w}'],
  ['heroku-api-key', `heroku_key = "${UUID}"`],
  ['huggingface-access-token', 'hf_{34a}'],
  ['infracost-api-token', 'ico-{32w}'],
  ['jwt', 'eyJ{30w}.eyJ{40w}.{43w}'],
  ['linear-api-key', 'lin_api_{40l}'],
  ['mailchimp-api-key', 'mailchimp_key="{32h}-us12"'],
  ['mailgun-private-api-token', 'mailgun="key-{32h}"'],
  ['maxmind-license-key', '{6w}_{29w}_mmk'],
  ['new-relic-user-api-key', 'new_relic_key="NRAK-{27l}"'],
  ['notion-api-token', 'ntn_{11n}{35w}'],
  ['npm-access-token', 'npm_{36l}'],
  ['octopus-deploy-api-key', 'API-{26U}'],
  ['okta-access-token', 'okta_token="00{40w}"'],
  ['openai-api-key', 'sk-{20w}T3BlbkFJ{20w}'],
  ['openshift-user-token', 'sha256~{43w}'],
  ['password-in-url', 'postgres://ann:{16w}@db.example/x'],
  ['perplexity-api-key', 'pplx-{48w}'],
  ['planetscale-password', 'pscale_pw_{43w}'],
  ['postman-api-token', 'PMAK-{24h}-{34h}'],
  ['prefect-api-token', 'pnu_{36w}'],
  ['private-key', '-----BEGIN RSA PRIVATE KEY-----\n{64w}\n{64w}\n-----END RSA PRIVATE KEY-----'],
  ['pulumi-api-token', 'pul-{40h}'],
  ['pypi-upload-token', 'pypi-AgEIcHlwaS5vcmc{60w}'],
  ['readme-api-token', 'rdme_{70l}'],
  ['replicate-api-token', 'r8_{37w}'],
  ['rubygems-api-token', 'rubygems_{48h}'],
  ['sendgrid-api-token', 'SG.{22w}.{43w}'],
  ['sendinblue-api-token', 'xkeysib-{64h}-{16l}'],
  ['sentry-user-token', 'sntryu_{64h}'],
  ['shippo-api-token', 'shippo_live_{40h}'],
  ['shopify-access-token', 'shpat_{32h}'],
  ['signed-url', 'https://a.example/x?se=2026&sig={43w}%3D'],
  ['signed-url', 'https://s3.example/x?X-Amz-Date=1&X-Amz-Signature={64h}&a=b'],
  ['signed-url', 'https://s3.example/x?X-Amz-Security-Token={200w}'],
  ['signed-url', 'https://g.example/x?a=b&amp;X-Goog-Signature={256h}'],
  ['signed-url', 'https://g.example/x?a=b\\u0026Signature\\u003d{80w}'],
  ['signed-url', 'https://g.example/?u=https%3A%2F%2Fa.example%2Fx%3Fsig%3D{43w}'],
  ['slack-bot-token', 'xoxb-{12n}-{12n}-{24w}'],
  ['slack-user-token', 'xoxp-{12n}-{12n}-{12n}-{32w}'],
  ['slack-webhook-url', 'https://hooks.slack.com/services/{44w}'],
  ['square-access-token', 'sq0atp-{22w}'],
  ['stripe-access-token', 'sk_live_{24w}'],
  ['telegram-bot-api-token', 'telegram_bot="{10n}:A{34w}"'],
  ['twilio-api-key', 'SK{32h}'],
  ['twitch-api-token', 'twitch_token="{30l}"'],
  ['typeform-api-token', 'typeform="tfp_{59l}"'],
  ['vault-batch-token', 'hvb.{140w}'],
  ['vault-service-token', 'hvs.{95w}'],
  ['xai-api-key', 'xai-{80w}'],
  ['yandex-api-key', 'yandex_key="AQVN{36w}"'],
  ['an API key', 'sk-{48w}'],
  ['a bearer token', 'Bearer {40w}'],
  ['a private key', '-----BEGIN PRIVATE KEY-----'],
];

test('each rule that the project adds to the imported ones has a sample', () => {
  const file = new URL('./secret-rules/further.json', import.meta.url);
  // as: part of the sources
  const { rules, generic } = JSON.parse(readFileSync(file, 'utf8')) as Record<
    'rules' | 'generic',
    { id: string }[]
  >;
  const ids = [...rules, ...generic].map(({ id }) => id);
  expect(SAMPLES.map(([id]) => id)).toEqual(expect.arrayContaining(ids));
});

test.each(SAMPLES)('%s is found as text, and inside the strings of a JSON line', (id, template) => {
  const secret = sample(template);
  expect(findSecretShapes(`see ${secret} here`)).toContain(id);
  const line = JSON.stringify({ e: 'body', text: JSON.stringify({ content: `see ${secret} here` }) });
  expect(findSecretShapes(line)).toContain(id);
});

test('aliases and masks are not reported as secrets', () => {
  for (const text of [
    'Bearer redacted_1_xxxxxxxxxxxxxxxx',
    'postgres://ann:redacted_3_xxxx@db.example/x',
    'https://a.example/x?sig=redacted_xxxxxxxxxxxxxxxx&se=2026',
  ])
    expect(findSecretShapes(text)).toEqual([]);
});

test('no committed cassette holds anything that looks like a secret', () => {
  const root = fileURLToPath(new URL('../../cassettes', import.meta.url));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name));
  const found = files
    .filter((file) => statSync(file).isFile())
    .flatMap((file) => readFileSync(file, 'utf8').split('\n').flatMap(findSecretShapes));
  expect(files).toContain(join(root, 'assistant-session', 'cassette.jsonl'));
  expect(found).toEqual([]);
});

test('ordinary text of an API is not mistaken for a secret', () => {
  const texts = [
    '{"id":"chatcmpl-9sT2bVxY0aBcDeFgHiJkLmNoPqRsT","object":"chat.completion"}',
    '{"file_id":"file-abcdefghijklmnopqrstuvwx","sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"}',
    'The basic idea: bearer of good news, see https://example.com/a:b@c and mailto:ann@example.com',
    'https://a.example/x?design=0a8Zq2BQk3x7LmN2c5Rw0a8Zq2BQk3x7LmN2c5Rw&sig=value&signature=your-signature',
    '{"token":" the","logprob":-0.12,"bytes":[32,116,104,101],"max_tokens":12,"password":{"type":"string"}}',
  ];
  for (const text of texts) expect(findSecretShapes(text)).toEqual([]);
});
