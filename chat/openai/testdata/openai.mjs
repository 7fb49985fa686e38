// The official openai package against the local API. Prints one line of JSON per
// check; the test in node_linux_test.go says what has to stand in it.
import OpenAI from "openai";

const [baseURL, apiKey] = [process.env.OPENAI_BASE_URL, process.env.OPENAI_API_KEY];
const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 });
const model = "claude-opus-4.5";
const ask = (content, more = {}) => ({ model, messages: [{ role: "user", content }], ...more });
const tell = (check, got) => console.log(JSON.stringify({ check, got }));

const ids = [];
for await (const m of client.models.list()) ids.push(m.id);
tell("models", ids.includes("gpt-5.4:low") && ids.includes("claude-opus-4.5:thinking"));

const plain = await client.chat.completions.create(ask("turn:echo and no more"));
tell("chat", [plain.choices[0].message.content, plain.choices[0].finish_reason, plain.model]);

let text = "";
for await (const chunk of await client.chat.completions.create(ask("turn:waits", { stream: true }))) {
  text += chunk.choices[0]?.delta?.content ?? "";
}
tell("stream", text);

const whole = await client.chat.completions.stream(ask("turn:waits")).finalChatCompletion();
tell("stream_helper", [whole.choices[0].message.content, whole.choices[0].finish_reason]);

const endless = await client.chat.completions.create(ask("turn:never_ends", { stream: true }));
for await (const chunk of endless) {
  if (chunk.choices[0]?.delta?.content) break; // which ends the request
}
tell("cancel", endless.controller.signal.aborted);

const tools = [{ type: "function", function: { name: "get_weather", parameters: { type: "object" } } }];
const obey = 'turn:call_tool get_weather {"city":"Paris"}';
const called = await client.chat.completions.create(ask(obey, { tools }));
const call = called.choices[0].message.tool_calls?.[0];
tell("tool_call", [called.choices[0].finish_reason, call?.type, call?.function]);
const told = await client.chat.completions.create({
  model, tools,
  messages: [
    { role: "system", content: "turn:waits" }, { role: "user", content: "The weather?" },
    called.choices[0].message, { role: "tool", tool_call_id: call.id, content: "sunny" },
  ],
});
tell("tool_result", [told.choices[0].message.content, told.choices[0].finish_reason]);

const runner = client.chat.completions.stream(ask(obey, { tools }));
const streamed = (await runner.finalChatCompletion()).choices[0];
tell("tool_stream", [streamed.finish_reason, streamed.message.tool_calls?.[0]?.function?.arguments]);

const functions = [{ type: "function", name: "get_weather", parameters: { type: "object" }, strict: null }];
const asked = { model, tools: functions, input: [{ role: "user", content: obey }] };
const first = await client.responses.create(asked);
const made = first.output.find((item) => item.type === "function_call");
tell("response_call", [first.status, first.output_text, made?.name, made?.arguments]);
const after = await client.responses.create({
  ...asked, input: [...asked.input, ...first.output, { type: "function_call_output", call_id: made.call_id, output: "sunny" }],
});
tell("response_result", [after.status, after.output_text]);
const helped = await client.responses.stream(asked).finalResponse();
tell("response_stream", [helped.status, helped.output.map((item) => item.type)]);
const kinds = [];
for await (const event of await client.responses.create({ model, input: "turn:rewrite again", stream: true })) kinds.push(event);
tell("response_rewritten", [kinds.at(-1).type, kinds.at(-1).response?.error?.code]);
const city = { format: { type: "json_schema", name: "city", schema: { type: "object" } } };
tell("response_parsed", (await client.responses.parse({ model, input: 'turn:object {"city":"Paris"}', text: city })).output_parsed);

const errors = {
  previous_response: () => client.responses.create({ model, input: "hello", previous_response_id: "resp_1" }),
  unknown_model: () => client.chat.completions.create({ ...ask("hello"), model: "opus-9" }),
  exhausted: () => client.chat.completions.create(ask("turn:error_quota")),
  exhausted_stream: () => client.chat.completions.create(ask("turn:error_quota once more", { stream: true })),
  image: () => client.chat.completions.create(ask([{ type: "image_url", image_url: { url: "data:image/png;base64,AA==" } }])),
  wrong_key: () => new OpenAI({ baseURL, apiKey: "wrong", maxRetries: 0 }).models.list(),
  turn_failed: () => client.chat.completions.create(ask("turn:error_after_text")),
  rewritten: async () => {
    for await (const _ of await client.chat.completions.create(ask("turn:rewrite", { stream: true })));
  },
};
for (const [name, run] of Object.entries(errors)) {
  try {
    await run();
    tell(name, "no error");
  } catch (e) {
    tell(name, [e.constructor.name, e.status ?? null, e.code]);
  }
}
process.exit(0);
