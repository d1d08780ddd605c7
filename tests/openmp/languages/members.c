/* Each thread of a region attaches itself to the Java machine, and calls a method. HotSpot asks the C library where the
 * thread's stack is. */
#include <jni.h>
#include <omp.h>

JNIEXPORT jint JNICALL Java_Members_run(JNIEnv* environment, jclass in, jint threads) {
  JavaVM* machine;
  (*environment)->GetJavaVM(environment, &machine);
  const jclass kept = (*environment)->NewGlobalRef(environment, in);
  int failed = 0;
#pragma omp parallel num_threads(threads) reduction(+ : failed)
  {
    JNIEnv* own = 0;
    const int attaches = (*machine)->GetEnv(machine, (void**)&own, JNI_VERSION_1_6) != JNI_OK;
    if (attaches && (*machine)->AttachCurrentThread(machine, (void**)&own, 0) != JNI_OK) {
      ++failed;
    } else {
      const jmethodID call = (*own)->GetStaticMethodID(own, kept, "call", "(I)I");
      for (int i = 0; i < 200; ++i)
        if ((*own)->CallStaticIntMethod(own, kept, call, omp_get_thread_num()) != omp_get_thread_num()) ++failed;
      if (attaches) (*machine)->DetachCurrentThread(machine);
    }
  }
  return failed;
}
