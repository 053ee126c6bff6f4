// The little of Node's own types that the tests need.
declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  const assert: {
    equal(actual: unknown, expected: unknown): void;
    deepEqual(actual: unknown, expected: unknown): void;
    throws(body: () => unknown, expected?: RegExp): void;
  };
  export default assert;
}
