// @langchain/openai: a chat model with tools and structured output, and a text model.
import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAI } from '@langchain/openai';
import { z } from 'zod';

/** Uses the classes of the library that call operations of the specification. */
export async function langchainSession(baseURL: string): Promise<void> {
  // No retries, because the library repeats a request after seconds if the response does not match a schema.
  const common = { apiKey: 'key', configuration: { baseURL }, maxRetries: 0 };
  const chat = new ChatOpenAI({ ...common, model: 'chat-large', temperature: 0.2, maxTokens: 50 });
  // A complete response, a streamed one, and two concurrent ones.
  await chat.invoke([
    ['system', 'Be brief.'],
    ['user', 'Say "hello"'],
  ]);
  for await (const _ of await chat.stream('Count to 5'));
  await chat.batch(['One', 'Two']);
  const weather = tool(({ city }) => `sunny in ${city}`, {
    name: 'get_weather',
    description: 'Returns the weather of a city.',
    schema: z.object({ city: z.string() }),
  });
  const question = 'How is the weather in Rome?';
  const asked = await chat.bindTools([weather], { tool_choice: 'auto' }).invoke(question);
  const call = asked.tool_calls?.[0];
  if (call !== undefined)
    await chat
      .bindTools([weather])
      .invoke([['user', question], asked, await weather.invoke({ ...call, type: 'tool_call' })]);
  // Each way to request structured output. The reference may not comply, which does not matter here.
  const colour = z.object({ name: z.string() });
  for (const method of ['functionCalling', 'jsonMode', 'jsonSchema'] as const)
    await chat
      .withStructuredOutput(colour, { name: 'colour', method })
      .invoke(method === 'jsonMode' ? 'Name a colour as JSON.' : 'Name a colour.')
      .catch(() => null);
  const text = new OpenAI({ ...common, model: 'text-base', maxTokens: 20 });
  await text.invoke('Count to 5');
  for await (const _ of await text.stream('Count to 5'));
}
