// Takes over the page once it is shown: what it shows and its plain forms do not wait for the script, and who runs no script loads none.
const idle = window.requestIdleCallback ?? setTimeout;
idle(async () => {
  // Beside its JavaScript, which would ask for it a round trip later.
  const wasm = fetch('/pkg/docket.wasm');
  const docket = await import('/pkg/docket.js');
  await docket.default({ module_or_path: wasm });
  // A turn of its own, so that what was pressed while the wasm was compiled is answered in between.
  setTimeout(docket.hydrate);
}, { timeout: 2000 });
