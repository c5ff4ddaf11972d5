//! C declarations, damaged or not: no text makes their reader or the classification of what it read panic.

#![no_main]

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, OnceLock};

use gusset_fuzz::text;
use libfuzzer_sys::fuzz_target;

gusset_fuzz::asan_options!();

type Ends = (SyncSender<Vec<u8>>, Receiver<Result<(), String>>);

/// One thread that reads all texts: to start one for each, with its large stack, would take most of the time.
fn reader() -> &'static Mutex<Ends> {
    static READER: OnceLock<Mutex<Ends>> = OnceLock::new();
    READER.get_or_init(|| {
        let (send, inputs) = sync_channel::<Vec<u8>>(0);
        let (results, receive) = sync_channel(0);
        std::thread::spawn(move || {
            gusset_c::on_a_large_stack(move || {
                for bytes in inputs {
                    if results.send(text::try_c(&bytes, |_| {})).is_err() {
                        break;
                    }
                }
            })
        });
        Mutex::new((send, receive))
    })
}

fuzz_target!(|bytes: &[u8]| {
    let ends = reader().lock().unwrap();
    ends.0.send(bytes.to_vec()).unwrap();
    if let Err(why) = ends.1.recv().unwrap() {
        panic!("{why}");
    }
});
