import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { generateReply, generateText, limitTokens } from './generate.ts';
import { tokenId } from './tokens.ts';

const NO_LIMITS = { stop: [], maxTokens: null, bias: {} };

describe('limitTokens', () => {
  it('returns the text up to the first stop sequence or, if that comes first, the maximum number of tokens', () => {
    const stops = fc.array(fc.string({ minLength: 1, maxLength: 3 }), { maxLength: 4 });
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), stops, fc.nat(30), (original, stop, maxTokens) => {
        const reply = limitTokens(original, { stop, maxTokens, bias: {} });
        const shortened = reply.tokens.join('');
        expect(original.startsWith(shortened)).toBe(true);
        for (const mark of stop) expect(shortened).not.toContain(mark);
        expect(reply.completionTokens).toBeLessThanOrEqual(maxTokens);
        const ends = stop.map((mark) => original.indexOf(mark)).filter((at) => at >= 0);
        if (reply.finish === 'length') expect(reply.completionTokens).toBe(maxTokens);
        else expect(shortened).toBe(original.slice(0, Math.min(original.length, ...ends)));
      }),
    );
  });

  it('omits a token with a bias of -100', () => {
    const banned = limitTokens('in the end the', { ...NO_LIMITS, bias: { [tokenId(' the')]: -100 } });
    expect(banned.tokens.join('')).toBe('in end');
  });

  it('returns nothing but a token with a bias of 100', () => {
    const forced = limitTokens('anything', { ...NO_LIMITS, maxTokens: 3, bias: { [tokenId(' of')]: 100 } });
    expect(forced).toMatchObject({ tokens: [' of', ' of', ' of'], finish: 'length' });
  });
});

describe('a text', () => {
  const textFor = (text: string) => generateText([{ role: 'user', text, images: 0 }], 0);

  it('counts up as requested', () => {
    expect(textFor('Count from 3 to 5')).toBe('3, 4, 5');
    expect(textFor('Count to 3')).toBe('1, 2, 3');
  });

  it('is what the prompt says to say, without the final mark', () => {
    expect(textFor(' Please say  hi there. ')).toBe('hi there');
  });

  it('quotes a request to say more than 200 characters, even after thousands of spaces', {
    timeout: 10_000,
  }, () => {
    const long = 'x'.repeat(300);
    expect(textFor(`say${' '.repeat(19_000)}${long}`)).toContain(`You said: say ${long}`);
  });

  it('does not end within a character where a long prompt is cut', () => {
    const text = textFor(`Repeat: ${'x'.repeat(19_991)}😀`);
    expect(text).toBe('x'.repeat(19_991));
  });

  it('counts at most 2000 numbers', () => {
    expect(textFor('Count from 0 to 5000')).toMatch(/^0, 1, .*, 1999$/);
  });

  it('quotes a request to count down', () => {
    expect(textFor('Count from 5 to 3')).toContain('You said: Count from 5 to 3');
  });
});

describe('a tool', () => {
  const reply = (text: string, toolChoice: 'auto' | 'required' | 'none', maxTokens: number | null = null) =>
    generateReply({
      ...NO_LIMITS,
      maxTokens,
      turns: [{ role: 'user', text, images: 0 }],
      tools: ['get_current_weather', 'sendMail', 'set_tool'].map((name) => ({
        name,
        description: '',
        parameters: { type: 'object', properties: { a: { type: 'string' } } },
      })),
      toolChoice,
      isJson: false,
      variation: 0,
    });
  const listCalledTools = (...request: Parameters<typeof reply>) =>
    reply(...request).calls.map(({ name }) => name);

  it('is called if the message contains its name or an uncommon word of it', () => {
    expect(listCalledTools('Use set_tool', 'auto')).toEqual(['set_tool']);
    expect(listCalledTools('How is the weather?', 'auto')).toEqual(['get_current_weather']);
    expect(listCalledTools('Send a mail about the weather', 'auto')).toEqual([
      'get_current_weather',
      'sendMail',
    ]);
    expect(listCalledTools('What is the current time?', 'auto')).toEqual([]);
  });

  it('that comes first is called if one is required and the message asks for none', () => {
    expect(listCalledTools('Nothing of that', 'required')).toEqual(['get_current_weather']);
  });

  it.each([
    ['Say “Oslo” about the weather in Rome', 'Oslo'],
    ['The weather in New York. Now', 'New York'],
    ['The weather in Évian', 'Évian'],
    ['The weather', 'a'],
  ])('gets the topic of the message as a text: %s', (message, topic) => {
    const [call] = reply(message, 'required').calls;
    expect(call?.arguments).toBe(JSON.stringify({ a: topic }));
  });

  it('gets a topic from a message of millions of capitalized words', () => {
    const [call] = reply('Ab '.repeat(5_000_000), 'required').calls;
    expect(call?.arguments).toMatch(/^\{"a":"Ab Ab /);
  });

  it('is not called with the choice none', () => {
    expect(listCalledTools('How is the weather?', 'none')).toEqual([]);
  });

  it('that is left out because the calls before it reach the token limit makes the reply end by length', () => {
    const { completionTokens } = reply('How is the weather?', 'auto');
    const limited = reply('Send a mail about the weather', 'auto', completionTokens);
    expect(limited.calls.map(({ name }) => name)).toEqual(['get_current_weather']);
    expect(limited).toMatchObject({ finish: 'length', completionTokens });
  });
});
