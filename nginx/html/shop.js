// The shop's page: sales with a countdown by server time, buying, the result,
// paying, own orders. Every text reaches the page as text, never as markup.
"use strict";

const FLASH = "/seckill/flash/sale/";
const REFRESH_MS = 5000;
const MAX_TRIES = 20; // of one call that is told to try again; of a result about a minute

const $ = (id) => document.getElementById(id);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const outcomes = new Map(); // productId -> what became of the last attempt
const busy = new Set(); // productIds being bought, orders being paid
let clockOffsetMs = 0; // server time minus ours
let sales = [];

// ---- identity: from #token=... or the field; kept for this tab only

function takeTokenFromAddress() {
  const found = location.hash.match(/^#token=([\w.-]+)$/);
  if (!found) return;
  sessionStorage.setItem("token", found[1]);
  history.replaceState(null, "", location.pathname);
}

function token() {
  return sessionStorage.getItem("token") || "";
}

function userOf(text) {
  try {
    const part = text.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
    return JSON.parse(atob(part)).sub;
  } catch {
    return null;
  }
}

function showUser() {
  const user = userOf(token());
  $("who").textContent = user ? `you are ${user}` : "not signed in";
}

// ---- calls

// One call; a network error is an answer like any other, to be tried again.
async function callOnce(method, path) {
  const headers = token() ? { Authorization: `Bearer ${token()}` } : {};
  try {
    const response = await fetch(path, {
      method, headers, cache: "no-store", signal: AbortSignal.timeout(8000),
    });
    return { http: response.status, ...(await response.json()) };
  } catch {
    return { http: 503, code: "BUSY", message: "The shop cannot be reached", retryAfterMs: 1000 };
  }
}

// Tries again where the answer says that it helps, as late as it says.
async function call(method, path, onWait = () => {}) {
  for (let tries = 1; ; tries++) {
    const answer = await callOnce(method, path);
    const helps = answer.retryAfterMs > 0;
    if (!helps || tries === MAX_TRIES) return answer;
    onWait(answer);
    await sleep(answer.retryAfterMs);
  }
}

// ---- buying

async function deduct(sale, onWait) {
  const query = `?productId=${encodeURIComponent(sale.productId)}`;
  if (sale.path !== "on") return call("POST", `${FLASH}deduct${query}`, onWait);
  const signed = await call("POST", `${FLASH}path${query}`, onWait);
  if (signed.http !== 200) return signed;
  return call("POST", `${FLASH}${encodeURIComponent(signed.path)}/deduct${query}`, onWait);
}

async function finalResult(productId) {
  const result = await call("GET", `${FLASH}result?productId=${encodeURIComponent(productId)}`);
  return result.status === "PENDING"
    ? { message: "Still in the queue; your orders will show it" }
    : result;
}

function describe(result) {
  const words = {
    ORDERED: "It is yours: pay below",
    REJECTED: `Not ordered: ${result.reason}`,
    CANCELLED: "The order was cancelled",
    SOLD_OUT: "Sold out",
    NONE: "No attempt is known",
  };
  return words[result.status] || result.message || result.code || "Unknown answer";
}

function tell(productId, text) {
  outcomes.set(productId, text);
  drawSales();
}

async function buy(sale) {
  if (busy.has(sale.productId)) return;
  busy.add(sale.productId);
  tell(sale.productId, "Trying …");
  const answer = await deduct(sale, () => tell(sale.productId, "Not yet, trying again …"));
  const isOpen = answer.code === "PENDING"; // the shard did not answer in time: the result tells
  if (isOpen || answer.code === "ACCEPTED" || answer.code === "ALREADY_BOUGHT") {
    tell(sale.productId, isOpen
      ? "Not known yet, waiting for the answer …"
      : "A unit is reserved, waiting for the order …");
    tell(sale.productId, describe(await finalResult(sale.productId)));
  } else {
    tell(sale.productId, describe(answer));
  }
  busy.delete(sale.productId);
  await refresh();
}

async function pay(orderSn) {
  if (busy.has(orderSn)) return;
  busy.add(orderSn);
  const answer = await call("POST", `/seckill/orders/${encodeURIComponent(orderSn)}/pay`);
  $("notice").textContent = answer.code === "PAID" ? `Order ${orderSn} is paid` : answer.message;
  busy.delete(orderSn);
  await refresh();
}

// ---- drawing

// One list item per id, kept over redraws so that the focus stays.
function item(list, template, id) {
  let node = [...list.children].find((child) => child.dataset.id === id);
  if (!node) {
    node = $(template).content.firstElementChild.cloneNode(true);
    node.dataset.id = id;
    list.append(node);
  }
  return node;
}

function removeOthers(list, ids) {
  [...list.children].filter((child) => !ids.has(child.dataset.id)).forEach((child) => child.remove());
}

function set(node, part, text) {
  const element = node.querySelector(`[data-${part}]`);
  if (element.textContent !== text) element.textContent = text;
  return element;
}

const price = (cents) => (cents / 100).toFixed(2);

function duration(ms) {
  const s = Math.ceil(ms / 1000);
  const two = (n) => String(n).padStart(2, "0");
  return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}

// A countdown is for what is near; beyond two days a date says more.
function until(verb, at, now) {
  const near = at - now < 48 * 3600 * 1000;
  return near ? `${verb} in ${duration(at - now)}` : `${verb} ${new Date(at).toLocaleDateString()}`;
}

function stateOf(sale, now) {
  const start = Date.parse(sale.startAt), end = Date.parse(sale.endAt);
  if (now < start) return { text: until("starts", start, now) };
  if (now >= end) return { text: "ended" };
  if (sale.soldOut) return { text: "sold out" };
  return { text: until("ends", end, now), open: true };
}

function drawSales() {
  const now = Date.now() + clockOffsetMs;
  const list = $("sales");
  for (const sale of sales) {
    const node = item(list, "sale", sale.productId);
    const state = stateOf(sale, now);
    set(node, "name", sale.name || `Product ${sale.productId}`);
    set(node, "price", price(sale.priceCents));
    set(node, "clock", state.text);
    set(node, "outcome", outcomes.get(sale.productId) || "");
    const button = node.querySelector("[data-buy]");
    button.disabled = !state.open || !token() || busy.has(sale.productId);
    button.onclick = () => buy(sale);
  }
  removeOthers(list, new Set(sales.map((sale) => sale.productId)));
  $("no-sales").hidden = sales.length > 0;
}

function drawOrders(orders) {
  const list = $("orders");
  for (const order of orders) {
    const node = item(list, "order", order.orderSn);
    const unpaid = order.status === "UNPAID";
    set(node, "name", order.name || `Product ${order.productId}`);
    set(node, "price", price(order.amountCents));
    set(node, "number", order.orderSn);
    set(node, "state", unpaid ? `pay by ${new Date(order.payBy).toLocaleString()}`
      : order.status.toLowerCase());
    const button = node.querySelector("[data-pay]");
    button.hidden = !unpaid;
    button.disabled = busy.has(order.orderSn);
    button.onclick = () => pay(order.orderSn);
  }
  removeOthers(list, new Set(orders.map((order) => order.orderSn)));
  $("no-orders").hidden = orders.length > 0;
}

// ---- keeping up

async function refreshSales() {
  const asked = Date.now();
  const answer = await callOnce("GET", "/seckill/sales");
  if (!answer.sales) {
    $("notice").textContent = answer.message;
    return;
  }
  clockOffsetMs = Date.parse(answer.serverTime) - (asked + Date.now()) / 2;
  sales = answer.sales;
  drawSales();
}

async function refreshOrders() {
  if (!token()) return drawOrders([]);
  const answer = await callOnce("GET", "/seckill/orders");
  if (answer.orders) drawOrders(answer.orders);
  else if (answer.http === 401) $("who").textContent = "this token is not valid (any more)";
}

const refresh = () => Promise.all([refreshSales(), refreshOrders()]);

async function keepUp() {
  for (;;) {
    if (!document.hidden) await refresh();
    await sleep(REFRESH_MS);
  }
}

$("identity").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("token", $("token").value.trim());
  $("token").value = "";
  showUser();
  refresh();
});

addEventListener("hashchange", () => { takeTokenFromAddress(); showUser(); refresh(); });
takeTokenFromAddress();
showUser();
setInterval(drawSales, 1000);
keepUp();
