//! The candidate Rayon. It starts loops from within the pool, which costs Rayon least.

use rayon::prelude::*;
use std::ffi::{c_char, c_int, c_void, CStr};

/// Mirrors the types of work.hpp and protocol.hpp.
#[repr(C)]
pub struct Work {
    _private: [u8; 0],
}

#[repr(C)]
struct Method {
    name: *const c_char,
    flags: u32,
}

#[repr(C)]
pub struct Measure {
    this: *mut c_void,
    measure: extern "C" fn(*mut c_void, extern "C" fn(*mut c_void), *mut c_void),
}

type Run = extern "C" fn(*mut c_void, u32, u64, u64, u32, *const Work, *const Measure);

#[repr(C)]
struct Peer {
    name: *const c_char,
    version: *const c_char,
    library: *const c_char,
    refusal: *const c_char,
    methods: *const Method,
    method_count: u32,
    this: *mut c_void,
    run: Run,
}

extern "C" {
    fn callisto_work_iteration(w: *const Work, i: u64);
    fn callisto_work_mark(i: u64);
    fn callisto_peer_serve(peer: *const Peer, threads: u32) -> c_int;
    fn callisto_peer_threads(argc: c_int, argv: *const *const c_char) -> u32;
}

const TAKES_BATCHES: u32 = 1;
const CHOOSES_BATCHES: u32 = 2;

/// Pointers that threads may share.
#[derive(Clone, Copy)]
struct Shared<T>(*const T);
unsafe impl<T> Send for Shared<T> {}
unsafe impl<T> Sync for Shared<T> {}

impl<T> Shared<T> {
    fn get(&self) -> *const T {
        self.0
    }
}

extern "C" fn once<F: Fn()>(f: *mut c_void) {
    unsafe { (*(f as *const F))() }
}

fn measured<F: Fn()>(m: &Measure, f: F) {
    (m.measure)(m.this, once::<F>, &f as *const F as *mut c_void);
}

fn run_loop<B: Fn(u64) + Sync + Send>(method: u32, n: u64, batch: u64, body: B, m: &Measure) {
    // Only ranges of usize are indexed, which min_len and max_len require.
    let n = n as usize;
    let batch = batch.max(1) as usize;
    let all = || (0..n).into_par_iter();
    let body = |i: usize| body(i as u64);
    match method {
        0 => measured(m, || all().for_each(body)),
        1 => measured(m, || all().with_min_len(batch).for_each(body)),
        _ => measured(m, || all().with_min_len(batch).with_max_len(batch).for_each(body)),
    }
}

extern "C" fn run(pool: *mut c_void, method: u32, n: u64, batch: u64, body: u32, w: *const Work, m: *const Measure) {
    let pool = unsafe { &*(pool as *const rayon::ThreadPool) };
    let (w, m) = (Shared(w), Shared(m));
    pool.install(|| {
        let m = unsafe { &*m.get() };
        match body {
            0 => run_loop(method, n, batch, |i| unsafe { std::arch::asm!("/* {0} */", in(reg) i, options(nomem, nostack)) }, m),
            1 => run_loop(method, n, batch, |i| unsafe { callisto_work_mark(i) }, m),
            _ => run_loop(method, n, batch, |i| unsafe { callisto_work_iteration(w.get(), i) }, m),
        }
    });
}

fn main() {
    let arguments: Vec<std::ffi::CString> =
        std::env::args().map(|a| std::ffi::CString::new(a).expect("arguments hold no zeros")).collect();
    let pointers: Vec<*const c_char> = arguments.iter().map(|a| a.as_ptr()).collect();
    let threads = unsafe { callisto_peer_threads(pointers.len() as c_int, pointers.as_ptr()) };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads as usize).build().expect("a pool of threads");
    let text = |t: &'static CStr| t.as_ptr();
    let methods = [
        Method { name: text(c"default"), flags: CHOOSES_BATCHES },
        Method { name: text(c"min_len"), flags: TAKES_BATCHES },
        Method { name: text(c"exact"), flags: TAKES_BATCHES },
    ];
    let version = std::ffi::CString::new(env!("RAYON_VERSION")).expect("versions hold no zeros");
    let peer = Peer {
        name: text(c"Rayon"),
        version: version.as_ptr(),
        library: text(c"linked in"),
        refusal: std::ptr::null(),
        methods: methods.as_ptr(),
        method_count: 3,
        this: &pool as *const rayon::ThreadPool as *mut c_void,
        run,
    };
    std::process::exit(unsafe { callisto_peer_serve(&peer, threads) });
}
