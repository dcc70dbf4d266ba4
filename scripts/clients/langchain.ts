import { tool } from '@langchain/core/tools';
import { ChatOpenAI, OpenAI } from '@langchain/openai';
import { z } from 'zod';

export async function runLangchainSession(baseURL: string): Promise<void> {
  // Retries are disabled: the library waits for seconds, then repeats a request whose response does not match a schema.
  const common = { apiKey: 'key', configuration: { baseURL }, maxRetries: 0 };
  const chatModel = new ChatOpenAI({ ...common, model: 'chat-large', temperature: 0.2, maxTokens: 50 });
  await chatModel.invoke([
    ['system', 'Be brief.'],
    ['user', 'Say "hello"'],
  ]);
  for await (const _ of await chatModel.stream('Count to 5'));
  await chatModel.batch(['One', 'Two']);
  const weatherTool = tool(({ city }) => `sunny in ${city}`, {
    name: 'get_weather',
    description: 'Returns the weather of a city.',
    schema: z.object({ city: z.string() }),
  });
  const question = 'How is the weather in Rome?';
  const reply = await chatModel.bindTools([weatherTool], { tool_choice: 'auto' }).invoke(question);
  const call = reply.tool_calls?.[0];
  if (call !== undefined)
    await chatModel
      .bindTools([weatherTool])
      .invoke([['user', question], reply, await weatherTool.invoke({ ...call, type: 'tool_call' })]);
  // The loop tries each way to request structured output. The reference may not comply, which does not matter here.
  const colourSchema = z.object({ name: z.string() });
  for (const method of ['functionCalling', 'jsonMode', 'jsonSchema'] as const)
    await chatModel
      .withStructuredOutput(colourSchema, { name: 'colour', method })
      .invoke(method === 'jsonMode' ? 'Name a colour as JSON.' : 'Name a colour.')
      .catch(() => null);
  const textModel = new OpenAI({ ...common, model: 'text-base', maxTokens: 20 });
  await textModel.invoke('Count to 5');
  for await (const _ of await textModel.stream('Count to 5'));
}
