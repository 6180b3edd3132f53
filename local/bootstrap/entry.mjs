// Runs inside the pinned Node, around the entry: shuts down in order when the parent process is gone, however it died.
// Without this, a killed `npm start` would leave a running stack behind.
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [entry, ...args] = process.argv.slice(2);

if (process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The channel alone must not keep a finished program running.
  process.channel.unref();
}

// Compiling and stripping types is a third of the start time; reuse the compile cache of earlier starts.
const compileCache = fileURLToPath(new URL('../../.cache/node', import.meta.url));
enableCompileCache(compileCache);
// Worker threads learn of it only through this variable.
process.env.NODE_COMPILE_CACHE ??= compileCache;

process.argv = [process.argv[0], entry, ...args];
await import(pathToFileURL(entry).href);
// Flushed now, because a process that is killed later would not do it.
flushCompileCache();
