import { describe, expect, test } from 'vitest';
import { InvalidHeader } from '../../exchange/redaction/added-headers.ts';
import { createRecordFixture } from '../testing/record-fixture.ts';
import { startRecorder } from './record.ts';

const fixture = createRecordFixture();
const KEY = 'Key-0123456789abcdef';

describe('header fields that the proxy adds', () => {
  test('replace those of the client and the key, and are redacted in the cassette', async () => {
    const secret = 'azure-0123456789-abcdef';
    const headers = [
      ['api-key', secret],
      ['Authorization', 'Basic Zm9vYmFyOjEyMzQ1Njc4OTA='],
    ] as const;
    const { url } = await fixture.start(
      (req, res) => res.end(JSON.stringify([req.headers.authorization, req.headers['api-key']])),
      { key: KEY, headers },
    );
    const answer = await fetch(`${url}/models`, {
      headers: { 'API-Key': 'own', authorization: 'Bearer own' },
    });
    expect(await answer.json()).toEqual(['Basic Zm9vYmFyOjEyMzQ1Njc4OTA=', secret]);
    const [exchange] = await fixture.readExchanges();
    const kept = JSON.stringify(exchange?.request.headers) + exchange?.response?.body.text;
    for (const hidden of [secret, 'Zm9vYmFyOjEyMzQ1Njc4OTA=', KEY]) expect(kept).not.toContain(hidden);
    expect(
      exchange?.request.headers.filter(([name]) => /^(?:api-key|authorization)$/i.test(name)),
    ).toHaveLength(2);
  });

  test.each([
    ['a b', 'x'],
    ['', 'x'],
    ['X-Tenant', 'a\r\nb'],
    ['X-Tenant', 'né→'],
  ])('are rejected at the start if no request can carry them: %j: %j', async (name, value) => {
    const options = {
      baseUrl: 'http://127.0.0.1:1/v1',
      cassette: fixture.cassette(),
      headers: [[name, value]] as const,
    };
    await expect(startRecorder(options)).rejects.toThrow(InvalidHeader);
  });
});
