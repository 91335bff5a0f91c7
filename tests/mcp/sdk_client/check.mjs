// A test runner of a few lines: each check is named by a sentence, and one that fails does not keep
// the others from running.
export class Checks {
  passed = 0;
  failed = 0;

  async run(name, body) {
    try {
      await body();
      this.passed += 1;
      console.log(`ok      ${name}`);
    } catch (error) {
      this.failed += 1;
      console.log(`FAILED  ${name}\n        ${error.stack ?? error}`);
    }
  }

  summary() {
    return `${this.passed} passed, ${this.failed} failed`;
  }
}

// Waits until `condition` returns something true, and returns that.
export async function eventually(condition, what, seconds = 180) {
  const end = Date.now() + seconds * 1000;
  while (Date.now() < end) {
    const value = await condition();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not within ${seconds} s: ${what}`);
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
