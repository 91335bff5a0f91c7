// Drives `yonder mcp` as agents do, with the official client library, on the sandbox `local`.
//
//   npm install && node run.mjs PATH_TO_YONDER [ARGUMENTS INSTEAD OF "mcp"]
//
// The library holds every result against the tool's output schema, also failed ones, so each call
// below checks the schemas too.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { EmptyResultSchema, LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';

import { Checks, eventually, isAlive } from './check.mjs';

const [program, ...given] = process.argv.slice(2);
if (!program) {
  console.error('usage: node run.mjs PATH_TO_YONDER [ARGUMENTS]');
  process.exit(2);
}

// A home of its own: nothing of the user's configuration or state takes part.
const home = mkdtempSync(join(tmpdir(), 'yonder-sdk-'));
const transport = new StdioClientTransport({
  command: program,
  args: given.length > 0 ? given : ['mcp'],
  env: { PATH: process.env.PATH, HOME: home },
});
const client = new Client({ name: 'sdk-client-test', version: '1.0.0' });
const strayMessages = [];
client.onerror = (error) => strayMessages.push(error);

const checks = new Checks();
const call = (name, args = {}, options = {}) =>
  client.callTool({ name, arguments: args }, undefined, options);
const exec = (command, more = {}, options = {}) => call('exec_bash', { command, ...more }, options);

function structured(result) {
  assert.ok(!result.isError, `failed: ${JSON.stringify(result.structuredContent)}`);
  assert.equal(result.content.length, 1);
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

function failure(result) {
  assert.equal(result.isError, true);
  const { error } = result.structuredContent;
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  assert.deepEqual(Object.keys(error).sort(), ['code', 'hint', 'message', 'retryable']);
  return error;
}

function pidIn(file) {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10);
  } catch {
    return 0; // not written yet
  }
}

async function checkOpening() {
  await checks.run('opens a session with the newest version of the library', async () => {
    await client.connect(transport);
    assert.equal(client.getServerVersion().name, 'yonder');
    assert.ok(client.getServerVersion().version);
    assert.ok(client.getServerCapabilities().tools);
    assert.equal(LATEST_PROTOCOL_VERSION, '2025-11-25');
    const instructions = client.getInstructions();
    assert.ok(instructions && Buffer.byteLength(instructions) <= 2048);
  });
  await checks.run('answers a ping', () => client.ping());
  await checks.run('lists its tools with schemas and hints', async () => {
    const { tools } = await client.listTools();
    const names = tools.map((tool) => tool.name);
    for (const name of ['list_sandboxes', 'select_sandbox', 'get_active_sandbox', 'exec_bash']) {
      assert.ok(names.includes(name), `${name} is missing`);
    }
    for (const tool of tools) {
      assert.match(tool.name, /^[A-Za-z0-9_-]{1,64}$/);
      assert.ok(tool.title && tool.description, tool.name);
      assert.ok(Buffer.byteLength(tool.description) <= 2048, tool.name);
      assert.equal(tool.inputSchema.type, 'object');
      assert.equal(tool.outputSchema.type, 'object');
      for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
        assert.equal(typeof tool.annotations[hint], 'boolean', `${tool.name}: ${hint}`);
      }
    }
  });
}

async function checkSandboxes() {
  await checks.run('lists the sandbox local', async () => {
    const list = structured(await call('list_sandboxes'));
    assert.equal(list.active_sandbox, 'local');
    assert.ok(list.sandboxes.some((sandbox) => sandbox.name === 'local' && sandbox.is_active));
  });
  await checks.run('selects a sandbox', async () => {
    const selected = structured(await call('select_sandbox', { sandbox_name: 'local' }));
    assert.equal(selected.active_sandbox, 'local');
    assert.equal(selected.status, 'selected');
  });
  await checks.run('says which sandbox is active', async () => {
    assert.equal(structured(await call('get_active_sandbox')).active_sandbox, 'local');
  });
  await checks.run('fails to select a sandbox that does not exist', async () => {
    const error = failure(await call('select_sandbox', { sandbox_name: 'no-such-sandbox' }));
    assert.equal(error.code, 'not_found');
    assert.equal(structured(await call('get_active_sandbox')).active_sandbox, 'local');
  });
}

async function checkExec() {
  await checks.run('runs a command and returns its output', async () => {
    const result = structured(await exec('echo hi'));
    assert.equal(result.exit_code, 0);
    assert.equal(result.stdout.trim(), 'hi');
    assert.equal(result.stderr, '');
    assert.equal(result.running, false);
    assert.equal(result.timed_out, false);
    assert.equal(result.state, 'exited');
    assert.match(result.run_id, /^r-/);
  });
  await checks.run('returns an exit code that is not zero without calling it a failure', async () => {
    const result = structured(await exec('echo oops >&2; exit 3'));
    assert.equal(result.exit_code, 3);
    assert.equal(result.stdout, '');
    assert.equal(result.stderr.trim(), 'oops');
  });
  await checks.run('names the sandbox of a single call', async () => {
    assert.equal(structured(await exec('true', { sandbox_name: 'local' })).exit_code, 0);
  });
  await checks.run('fails on an unknown sandbox with a result the model can read', async () => {
    const error = failure(await exec('true', { sandbox_name: 'no-such-sandbox' }));
    assert.equal(error.code, 'not_found');
    assert.equal(error.retryable, false);
  });
  await checks.run('fails on a missing command with a result the model can read', async () => {
    assert.equal(failure(await call('exec_bash')).code, 'invalid_argument');
  });
}

async function checkErrors() {
  await checks.run('answers an unknown tool with a protocol error', async () => {
    await assert.rejects(call('exec_bsh'), { code: -32602, message: /exec_bash/ });
  });
  await checks.run('answers an unknown method with a protocol error', async () => {
    await assert.rejects(client.request({ method: 'no/such' }, EmptyResultSchema), { code: -32601 });
  });
}

async function checkManyAtOnce() {
  await checks.run('runs eight calls at the same time', async () => {
    // Each waits for all of the others to have begun.
    const begun = mkdtempSync(join(home, 'begun-'));
    const all = `until [ $(ls ${begun} | wc -l) = 8 ]; do sleep 0.05; done`;
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, i) => exec(`: > ${begun}/${i}; ${all}; echo call ${i}`)),
    );
    results.forEach((result, i) => assert.equal(structured(result).stdout.trim(), `call ${i}`));
  });
  await checks.run('reports progress of a slow call, always growing', async () => {
    const seen = [];
    const gate = join(home, 'gate');
    const slow = exec(
      `until [ -e ${gate} ]; do sleep 0.05; done; echo done`,
      {},
      { onprogress: (p) => seen.push(p.progress) },
    );
    await eventually(() => seen.length > 1, 'it reports progress');
    writeFileSync(gate, '');
    assert.equal(structured(await slow).stdout.trim(), 'done');
    for (let i = 1; i < seen.length; i += 1) assert.ok(seen[i] > seen[i - 1], String(seen));
  });
}

async function checkCancellation() {
  await checks.run('stops a command whose call was cancelled, and serves on', async () => {
    const file = join(home, 'cancelled.pid');
    const abort = new AbortController();
    const cancelled = exec(`echo $$ > ${file}; exec sleep 3600`, {}, { signal: abort.signal });
    const outcome = assert.rejects(cancelled);
    const pid = await eventually(() => pidIn(file), 'the command has started');
    assert.ok(isAlive(pid));
    abort.abort('no longer needed');
    await outcome;
    await eventually(() => !isAlive(pid), 'the command is gone');
    assert.equal(structured(await exec('echo still here')).stdout.trim(), 'still here');
  });
}

async function checkEnd() {
  await checks.run('wrote nothing but the protocol', () => assert.deepEqual(strayMessages, []));
  await checks.run('ends by itself when the client leaves, even in the middle of a call', async () => {
    const file = join(home, 'left.pid');
    const gate = join(home, 'left.go');
    const lost = exec(`echo $$ > ${file}; until [ -e ${gate} ]; do sleep 0.05; done`).catch(() => {});
    const child = await eventually(() => pidIn(file), 'the command has started');
    const server = transport.pid;
    // The library would ask with SIGTERM after 2 s; here it is the end of the input alone.
    transport._process.stdin.end();
    await eventually(() => !isAlive(server), 'the server has ended');
    await client.close();
    await lost;
    assert.ok(isAlive(child), 'the command was stopped with the client');
    writeFileSync(gate, '');
    await eventually(() => !isAlive(child), 'the command has ended by itself');
  });
}

try {
  await checkOpening();
  await checkSandboxes();
  await checkExec();
  await checkErrors();
  await checkManyAtOnce();
  await checkCancellation();
  await checkEnd();
} finally {
  await client.close().catch(() => {});
  rmSync(home, { recursive: true, force: true });
}
console.log(checks.summary());
process.exit(checks.failed === 0 ? 0 : 1);
