// One install at a time per checkout. The lock is outside node_modules, which npm removes as a whole.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/**
 * Runs `work` while this process holds the install lock of the checkout; takes over the lock of a dead process.
 * @param {string} root
 * @param {(text: string) => void} say
 * @param {() => Promise<void>} work
 */
export async function withInstallLock(root, say, work) {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const file = join(root, '.cache/install.lock');
  let told = false;
  while (!(await tryToTake(file))) {
    if (!told) say('Another start is installing the dependencies; waiting for it …');
    told = true;
    await pause(200);
  }
  try {
    await work();
  } finally {
    rmSync(file, { force: true });
  }
}

async function tryToTake(file) {
  const mine = `${process.pid} ${startTime(process.pid)}`;
  try {
    writeFileSync(file, mine, { flag: 'wx' });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    const holder = read(file);
    // An empty file is just being written.
    if (holder !== '' && !isRunning(holder)) rmSync(file, { force: true });
    return false;
  }
  // Two processes that find the same abandoned lock may both remove it, and the slower one then removes ours. So check
  // again.
  await pause(50);
  return read(file) === mine;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isRunning(holder) {
  const [pid, started] = holder.split(' ');
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if (error.code === 'ESRCH') return false;
  }
  return startTime(pid) === started;
}

/** Detects reused process ids; systems without /proc compare the id alone. */
function startTime(pid) {
  let stat;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return 'unknown';
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? 'dead' : fields[19];
}
